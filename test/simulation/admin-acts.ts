import type { Command, Ending } from "@nest/dispatch";

/** What an admin does about a contributor, chosen by numbers: mostly takes back what is held, seldom revokes. */
export function adminCommand(x: number, y: number, contributorId: string): Command | undefined {
  const actor = "admin";
  switch (x % 4) {
    case 0:
    case 1:
      return { kind: "requeue", contributorId, taskId: undefined, session: undefined, reason: undefined, actor };
    case 2: {
      const tier = (["newcomer", "contributor", "trusted"] as const)[y % 3] ?? "newcomer";
      return { kind: "trust", contributorId, tier, actor };
    }
    default:
      return y % 10 === 0 ? { kind: "revoke", contributorId, actor } : undefined;
  }
}

/** What the code host says about a pull request that a task named. */
export function verdictOn({ lease, prUrl, endedAt }: Ending, y: number): Command | undefined {
  if (prUrl === undefined) return undefined;
  const { taskId, gen, contributorId, key } = lease;
  const verdict = y % 4 === 0 ? "refused" : "verified";
  return { kind: "verified", taskId, gen, contributorId, key, prUrl, pull: prUrl, completedAt: endedAt, verdict };
}
