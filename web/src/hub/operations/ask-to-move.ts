import { showError } from "../../shared/toast/toast.tsx";

/** Opens the form that moves an issue to a number; it is loaded when it is first needed. */
export function askToMove(key: string): void {
  import("./move-form.tsx").then(({ openMoveForm }) => openMoveForm(key), showError);
}
