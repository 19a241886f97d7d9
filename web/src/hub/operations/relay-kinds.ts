import type { contribute } from "@nest/protocol";

/** Kinds of relays that one can look for. */
export const relayKinds = ["working", "idle", "failed", "outdated"] as const;
export type RelayKind = (typeof relayKinds)[number];

/** Whether a relay is of a kind that one can look for. */
export function isKind(relay: contribute.FleetRelay, kind: RelayKind): boolean {
  switch (kind) {
    case "working":
      return relay.current_task !== undefined;
    case "idle":
      return relay.current_task === undefined;
    case "failed":
      return relay.last_failure !== undefined;
    case "outdated":
      return relay.protocol.verdict !== "current";
  }
}

/** The protocol line of a relay. Nothing follows from it: an outdated relay is given work like the others. */
export function protocolWords({ declared, verdict }: contribute.FleetRelay["protocol"]): string {
  if (declared === undefined) return "protocol unknown";
  return verdict === "current" ? `protocol ${declared}` : `protocol ${declared}, ${verdict}`;
}
