import type { NestActivityEvent } from "@nest/protocol";
import type { Outcome } from "./send.ts";

/** Tells when the hub begins to refuse the heartbeats, and when it ends that; each once. A hub that is away changes nothing. */
export function refusalTeller(tell: (event: NestActivityEvent) => void): (outcome: Outcome) => void {
  let isRefused = false;
  return (outcome) => {
    if (outcome.kind === "unreachable" || (outcome.kind === "rejected") === isRefused) return;
    isRefused = outcome.kind === "rejected";
    if (outcome.kind === "rejected") tell({ action: "hub refuses heartbeats", detail: `status ${outcome.status}` });
    else tell({ action: "hub accepts heartbeats again" });
  };
}
