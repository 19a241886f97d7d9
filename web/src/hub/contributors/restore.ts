import { withPart } from "../../shared/lazy/lazy-part.ts";
import type { Revoked } from "./revoke.tsx";

/** Opens the form that gives somebody access again; it is loaded when it is first needed. */
export function askToRestore(one: Revoked): void {
  withPart(
    () => import("./restore-form.tsx"),
    ({ openRestoreForm }) => openRestoreForm(one),
  );
}
