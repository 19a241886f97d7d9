import { withPart } from "../../shared/lazy/lazy-part.ts";

/** Opens the form that holds an issue back; it is loaded when it is first needed. */
export function askToHold(key: string): void {
  withPart(
    () => import("./hold-form.tsx"),
    ({ openHoldForm }) => openHoldForm(key),
  );
}
