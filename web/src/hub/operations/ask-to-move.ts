import { withPart } from "../../shared/lazy/lazy-part.ts";

/** Opens the form that moves an issue to a number; it is loaded when it is first needed. */
export function askToMove(key: string): void {
  withPart(
    () => import("./move-form.tsx"),
    ({ openMoveForm }) => openMoveForm(key),
  );
}
