import { showError } from "../../shared/toast/toast.tsx";

/** Opens the form that holds an issue back; it is loaded when it is first needed. */
export function askToHold(key: string): void {
  import("./hold-form.tsx").then(({ openHoldForm }) => openHoldForm(key), showError);
}
