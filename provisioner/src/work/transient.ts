import { ClusterBusy } from "@nest/cluster";
import { NestError } from "@nest/kit";

const TRANSIENT = new Set([
  "cluster_busy",
  "cluster_conflict",
  "cluster_failed",
  "cluster_gone",
  "cluster_timeout",
  "cluster_unreachable",
  "step_timeout",
  "storage_export_failed",
]);

/** Whether trying again may help: a busy, silent or broken server, an object that somebody changed meanwhile. */
export function isTransient(thrown: unknown): boolean {
  return thrown instanceof NestError && TRANSIENT.has(thrown.code);
}

/** How long a busy server asked us to wait, in milliseconds; 0 when it said nothing. */
export function askedToWaitMs(thrown: unknown): number {
  return thrown instanceof ClusterBusy ? (thrown.retryAfterMs ?? 0) : 0;
}
