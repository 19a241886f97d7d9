import { withPart } from "../../shared/lazy/lazy-part.ts";
import type { PauseTarget } from "./pauses.ts";

/** Opens the form that pauses something; it is loaded when it is first needed. */
export function askToPause(target: PauseTarget): void {
  withPart(
    () => import("./pause-form.tsx"),
    ({ openPauseForm }) => openPauseForm(target),
  );
}
