import type { Command, Effect, Lease, RelayIdentity } from "@nest/dispatch";
import type { ToHub, ToRelay } from "./relay-model.ts";

/** The command that a relay's frame is to a hub. */
export function commandOf(frame: ToHub, relayIdentity: RelayIdentity, failureKind: string): Command {
  switch (frame.type) {
    case "ready":
      return { kind: "ready", ...relayIdentity };
    case "accepted":
      return { kind: "accepted", ...relayIdentity, taskId: frame.taskId, gen: frame.gen };
    case "progress":
      return {
        kind: "progress",
        ...relayIdentity,
        taskId: frame.taskId,
        gen: frame.gen,
        repo: frame.repo,
        number: frame.number,
      };
    case "completed":
      return {
        kind: "completed",
        ...relayIdentity,
        taskId: frame.taskId,
        gen: frame.gen,
        prUrl: frame.prUrl,
        verdict: frame.verdict,
        verdictReason: undefined,
      };
    case "failed": {
      const { taskId, gen, reason, permanent } = frame;
      return { kind: "failed", ...relayIdentity, taskId, gen, reason, failureKind, permanent };
    }
    case "declined":
      return { kind: "declined", ...relayIdentity, taskId: frame.taskId, gen: frame.gen, reason: "busy" };
  }
}

/** A frame that no honest relay would send: another generation of one's own task, or a word about somebody else's. */
export function forgedFrame(x: number, y: number, leases: readonly Lease[], identity: string): ToHub | undefined {
  const own = leases.filter((lease) => lease.identity === identity);
  const strange = y % 3 === 0 || own.length === 0;
  const lease = strange ? leases[x % Math.max(1, leases.length)] : own[0];
  if (lease === undefined) return undefined;
  const { taskId, repo, number } = lease;
  const gen = strange ? lease.gen : Math.max(0, lease.gen + 1 - (y % 4));
  switch (x % 8) {
    case 1:
      return { type: "completed", taskId, gen, prUrl: undefined, verdict: undefined };
    case 3:
      return { type: "failed", taskId, gen, reason: "forged", permanent: true };
    default:
      return { type: "progress", taskId, gen, repo, number };
  }
}

/** The frame that an effect is to its relay; undefined where it is told nothing. */
export function frameOf(effect: Effect): ToRelay | undefined {
  switch (effect.kind) {
    case "assign": {
      const { taskId, gen, repo, number } = effect.lease;
      return { type: "assign", taskId, gen, repo, number };
    }
    case "unavailable":
      return { type: "unavailable" };
    case "revoke":
      return { type: "revoke", taskId: effect.taskId };
    case "ack":
      return { type: "ack", taskId: effect.taskId };
    default:
      return undefined;
  }
}
