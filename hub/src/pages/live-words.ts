import type { contribute } from "@nest/protocol";
import { describeActivity } from "@nest/protocol/activity";
import { describeWithheld } from "@nest/protocol/reasons";

// The live page's decisions. This file runs in the browser too (served with its types stripped): it may import types, and what
// `assets.ts` serves beside it, and touches neither document nor network.

type Entry = contribute.ActivityEntry;
type Work = contribute.FleetWork;

/** One entry of the feed in plain words, and where it leads. */
export type Telling = ReturnType<typeof describeActivity> & {
  readonly link: { readonly href: string; readonly text: string } | undefined;
};

/** Puts an activity entry into plain words. */
export function tell(entry: Entry): Telling {
  return { ...describeActivity(entry), link: linkOf(entry.url) };
}

/** Adds entries to a feed that is newest first; each is kept once, at most `limit` in all. */
export function addToFeed(feed: readonly Entry[], entries: readonly Entry[], limit: number): Entry[] {
  const known = new Map(feed.map((entry) => [entry.id, entry]));
  for (const entry of entries) known.set(entry.id, entry);
  return [...known.values()].sort((a, b) => b.id - a.id).slice(0, limit);
}

/** A link for people to follow, or nothing: addresses come from strangers, only http and https are taken. */
export function safeHref(url: string | undefined): string | undefined {
  if (url === undefined || !/^https?:\/\//i.test(url)) return undefined;
  return URL.canParse(url) ? new URL(url).href : undefined;
}

function linkOf(url: string | undefined): Telling["link"] {
  const href = safeHref(url);
  if (href === undefined) return undefined;
  const pull = /\/pull\/(\d+)$/.exec(new URL(href).pathname);
  return { href, text: pull === null ? "issue" : `pull request #${pull[1]}` };
}

/** A duration as people say it: `8 s`, `12 min`, `2 h 5 min`, `3 d`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d`;
}

export function workState(status: Work["status"]): string {
  switch (status) {
    case "offered":
      return "offered";
    case "in-progress":
      return "in progress";
    case "away":
      return "relay away, task kept";
  }
}

export function repositoryState(state: "ready" | "scanning" | "failing", issues: number): string {
  switch (state) {
    case "ready":
      return issues === 1 ? "1 open issue" : `${issues} open issues`;
    case "scanning":
      return "being read for the first time";
    case "failing":
      return "could not be read";
  }
}

/** `2 held by an operator` and the like as a sentence part, most first; empty when nothing is withheld. */
export function withheldWords(withheld: Readonly<Record<string, number>>): string {
  return Object.entries(withheld)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${describeWithheld(reason).label}`)
    .join(", ");
}
