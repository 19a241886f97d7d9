import type { contribute } from "@nest/protocol";

// The live page's decisions and wording. This file runs in the browser too (served with its types stripped): it may import
// types only, and touches neither document nor network.

type Entry = contribute.ActivityEntry;
type Work = contribute.FleetWork;

/** How an entry of the feed is coloured; the words carry the meaning. */
type Tone = "start" | "good" | "bad" | "quiet";

/** One entry of the feed in plain words. */
export interface Telling {
  readonly tone: Tone;
  /** Follows the contributor's name. */
  readonly words: string;
  /** Said after the words: a reason, a tier. */
  readonly detail: string | undefined;
  readonly link: { readonly href: string; readonly text: string } | undefined;
}

const plainTellings: Readonly<Record<string, readonly [Tone, string]>> = {
  "picked up": ["start", "picked up"],
  resumed: ["start", "came back to"],
  failed: ["bad", "could not finish"],
  "released: connection lost": ["bad", "lost the connection while on"],
  "released: relay stopped": ["quiet", "stopped their relay while on"],
  "released: gave the task back": ["quiet", "gave back"],
  "lease expired: auto-released": ["bad", "ran out of time on"],
  joined: ["quiet", "connected a relay"],
  left: ["quiet", "disconnected"],
  registered: ["quiet", "registered as a contributor"],
  "pull request verified": ["good", "had a pull request confirmed"],
  promoted: ["good", "was promoted"],
  "trust changed": ["quiet", "got another trust tier"],
  "access revoked": ["bad", "lost access"],
};

/** Puts an activity entry into plain words. Unknown actions are shown as they came. */
export function tell(entry: Entry): Telling {
  const link = linkOf(entry.url);
  if (entry.action === "completed" || entry.action.startsWith("completed: ")) return tellCompletion(entry, link);
  const known = Object.hasOwn(plainTellings, entry.action) ? plainTellings[entry.action] : undefined;
  const [tone, words] = known ?? ["quiet" as const, entry.action];
  const detail = present(entry.detail);
  if (entry.action === "promoted" && detail !== undefined)
    return { tone, words: `${words} to ${detail}`, detail: undefined, link };
  return { tone, words, detail, link };
}

function tellCompletion(entry: Entry, link: Telling["link"]): Telling {
  const detail = present(entry.detail);
  switch (entry.action) {
    case "completed: no_work_needed":
      return { tone: "quiet", words: "found nothing left to do on", detail, link };
    case "completed: blocked":
      return { tone: "bad", words: "was blocked on", detail, link };
    default:
      return {
        tone: "good",
        words: link?.text.startsWith("pull request") ? "opened a pull request for" : "completed",
        detail,
        link,
      };
  }
}

/** Whether an entry is a task that came to a good end. */
function isDone(entry: Entry): boolean {
  return entry.action === "completed" || entry.action === "completed: shipped" || entry.action === "completed: idle";
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How many tasks of `entries` were done within a day before `now`. */
export function doneWithinDay(entries: readonly Entry[], now: number): number {
  return entries.filter((entry) => isDone(entry) && now - Date.parse(entry.timestamp) < DAY_MS).length;
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

/** What a task under lease is doing, in plain words. */
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

/** What a repository's state means. */
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

/** `failure_cooldown: 2` and the like as a sentence part; empty when nothing is withheld. */
export function withheldWords(withheld: Readonly<Record<string, number>>): string {
  return Object.entries(withheld)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${reason.replaceAll("_", " ")}`)
    .join(", ");
}

/** A wire name as words: `hourly_limit` reads `hourly limit`. */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}

function present(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}
