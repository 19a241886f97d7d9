import type { ScannedRepo } from "../work/scan.ts";
import type { ActivityFeed } from "./activity-feed.ts";

/** Tells in the activity when a repository cannot be read, and when it can be again: once each. */
export class RepositoryLines {
  readonly #feed: ActivityFeed;
  readonly #unreadable = new Set<string>();

  constructor(feed: ActivityFeed) {
    this.#feed = feed;
  }

  /** Looks at how the repositories were read just now. */
  look(repos: readonly ScannedRepo[]): void {
    for (const { repo, error } of repos) {
      if (error !== undefined && !this.#unreadable.has(repo)) {
        this.#unreadable.add(repo);
        this.#feed.tell({ action: "repository unreadable", detail: `${repo}: ${error}` });
      } else if (error === undefined && this.#unreadable.delete(repo))
        this.#feed.tell({ action: "repository readable again", detail: repo });
    }
  }
}
