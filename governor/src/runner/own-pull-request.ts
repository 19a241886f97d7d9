import type { Outcome } from "@nest/agents";
import type { CodeHost } from "@nest/codehost";

/** The open pull requests of a repository by address, in lower case; none where they cannot be read. */
export async function openPullRequests(
  codeHost: CodeHost | undefined,
  repo: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (codeHost === undefined || repo === undefined) return new Set();
  // A run is not kept from its work by this: without the list it is believed.
  const found = await codeHost.openPullRequests(repo, signal).catch(() => undefined);
  return new Set(found?.items.map(({ url }) => url.toLowerCase()));
}

/** What a run came to. One that names a pull request that was open before it began has found it, not opened it. Pure. */
export function withoutFound(outcome: Outcome, openBefore: ReadonlySet<string>): Outcome {
  if (outcome.kind === "failed" || outcome.pullRequest === undefined) return outcome;
  if (!openBefore.has(outcome.pullRequest.toLowerCase())) return outcome;
  const verdictReason = outcome.verdictReason ?? `it found ${outcome.pullRequest}, which was open before`;
  return { kind: "completed", verdict: "idle", verdictReason };
}
