import { showError } from "../../shared/toast/toast.tsx";
import type { Revoked } from "./revoke.tsx";

/** Opens the form that gives somebody access again; it is loaded when it is first needed. */
export function askToRestore(one: Revoked): void {
  import("./restore-form.tsx").then(({ openRestoreForm }) => openRestoreForm(one), showError);
}
