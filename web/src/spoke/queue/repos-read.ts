import type { nestWork } from "@nest/protocol";
import { duration } from "../../shared/format/format.ts";

type RepoScan = nestWork.RepoScan;

/** When the repositories were really read: all of them, the one that was read longest ago. Pure. */
export function readWords(repos: readonly RepoScan[], now: number): string {
  const times = repos.flatMap(({ read_at: at }) => (at === undefined ? [] : [Date.parse(at)]));
  if (times.length === 0) return "not yet";
  const ago = `${duration(now - Math.min(...times))} ago`;
  return times.length === repos.length ? ago : `${times.length} of ${repos.length}, ${ago}`;
}

/** A repository that could not be read the last time. */
export interface UnreadRepo {
  readonly repo: string;
  readonly because: string;
  /** How old what is shown of it is. */
  readonly shown: string;
}

/** The repositories that could not be read the last time, each with how old is what is shown of it. Pure. */
export function unreadRepos(repos: readonly RepoScan[], now: number): UnreadRepo[] {
  return repos.flatMap(({ repo, error, read_at: at }) =>
    error === undefined
      ? []
      : [
          {
            repo,
            because: error,
            shown:
              at === undefined
                ? "It was never read: its issues are not shown."
                : `What is shown of it is ${duration(now - Date.parse(at))} old.`,
          },
        ],
  );
}
