import { showError } from "../../shared/toast/toast.tsx";
import type { PauseTarget } from "./pauses.ts";

/** Opens the form that pauses something; it is loaded when it is first needed. */
export function askToPause(target: PauseTarget): void {
  import("./pause-form.tsx").then(({ openPauseForm }) => openPauseForm(target), showError);
}
