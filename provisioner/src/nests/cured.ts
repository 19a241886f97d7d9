import type { HostedNestRecord } from "@nest/protocol";

/** What a heartbeat can cure: a nest that came up later than it was waited for, or whose app was installed meanwhile. */
const CURABLE = ["provision", "claim", "resume", "repair"];

/** Whether a nest in `error`, or one that is made by hand, runs after all, now that it was heard. `isAppMissing`: it says itself that its app is not installed. */
export function isCured(
  { status, operation, failed_operation: failed, auth_method: method }: HostedNestRecord,
  isAppMissing: boolean,
) {
  if (operation !== undefined || (method === "app-later" && isAppMissing)) return false;
  // Somebody made it by hand, and here it is.
  if (status === "provisioning") return true;
  if (status !== "error") return false;
  const { kind } = (failed ?? {}) as { readonly kind?: string };
  return CURABLE.includes(kind ?? "");
}
