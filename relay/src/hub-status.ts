import type { Standstill } from "@nest/agents";
import { compareVersions, type Durations, type OwnLimitsLeft, PROTOCOL_VERSION } from "@nest/protocol";
import type { Console } from "./console/console.ts";
import type { AuthOk, Session } from "./session/session.ts";
import type { Task } from "./task/task.ts";

/**
 * `sentence` is for a person. `change` is the same without seconds and minutes: only when it differs is there something new to
 * log.
 */
export interface StatusText {
  readonly sentence: string;
  readonly change: string;
}

interface AtHub {
  readonly limits: OwnLimitsLeft | undefined;
  readonly toldAt: number;
  /** When this relay was given tasks since then. */
  readonly given: readonly number[];
  /** Why this hub gives no work, and until when. */
  readonly note: string | undefined;
  readonly detail: string | undefined;
  readonly until: number | undefined;
}

const STANDSTILLS: Readonly<Record<Standstill, string>> = {
  login: "IT WAITS FOR YOU TO LOG IN",
  answer: "IT WAITS FOR YOUR ANSWER",
  quota: "ITS PROVIDER'S QUOTA IS USED UP",
};

const UNKNOWN: AtHub = {
  limits: undefined,
  toldAt: 0,
  given: [],
  note: undefined,
  detail: undefined,
  until: undefined,
};

/** What is known of each hub, in words for a person: the tier, the limits left, why no work comes and until when. */
export class HubStatus {
  readonly #console: Console;
  readonly #numbers: Durations;
  readonly #hubs = new Map<Session, AtHub>();
  readonly #drifted = new Set<Session>();

  constructor(console: Console, numbers: Durations) {
    this.#console = console;
    this.#numbers = numbers;
  }

  /**
   * Sets why this hub gives no work. `until`: when the relay tries or asks again; `detail`: what may be cut off at a narrow
   * terminal.
   */
  note(
    session: Session,
    note: string,
    more: { readonly until?: number | undefined; readonly detail?: string } = {},
  ): void {
    const { until, detail } = more;
    this.#hubs.set(session, { ...this.#at(session), note, until, detail });
  }

  /** The hub has told how much of the tier's limits is left. */
  limits(session: Session, limits: OwnLimitsLeft | undefined, now: number): void {
    if (limits !== undefined) this.#hubs.set(session, { ...this.#at(session), limits, toldAt: now, given: [] });
  }

  assigned(session: Session, now: number): void {
    const at = this.#at(session);
    const recent = at.given.filter((when) => when > now - this.#numbers.dayWindowMs);
    this.#hubs.set(session, { ...at, given: [...recent, now], note: undefined, detail: undefined, until: undefined });
  }

  /** The hub is connected. A protocol version that differs is reported once. */
  welcome(session: Session, { protocol_version: declared, limits }: AuthOk, now: number): void {
    this.#hubs.set(session, { ...UNKNOWN, limits, toldAt: now });
    const verdict = compareVersions(declared);
    if (this.#drifted.has(session)) return;
    if (verdict !== "older" && verdict !== "newer" && verdict !== "incompatible") return;
    this.#drifted.add(session);
    this.#console.say(
      `hub ${session.hub.host} speaks protocol ${declared} (${verdict}), this relay ${PROTOCOL_VERSION}`,
    );
  }

  /**
   * Why the relay has no task: its own trouble, or a reason for each hub. What matters most comes first, because terminals are
   * narrow.
   */
  idling(sessions: readonly Session[], now: number, trouble?: string): StatusText {
    if (trouble !== undefined) {
      const sentence = `idle: no work is asked for: ${trouble}; looked at again every minute`;
      return { sentence, change: sentence };
    }
    const parts = sessions.map((session) => {
      const { note = session.isAuthenticated ? "asked for work" : "connecting", until, detail } = this.#at(session);
      const again = session.isAuthenticated ? "asks again in" : "next try in";
      const when = until === undefined || until <= now ? "" : `, ${again} ${Math.ceil((until - now) / 1000)} s`;
      const where = ` at ${this.#name(session, now)}${detail === undefined ? "" : `, ${detail}`}`;
      return { change: note + where, sentence: note + when + where };
    });
    return {
      sentence: `idle: ${parts.map(({ sentence }) => sentence).join("; ")}`,
      change: `idle: ${parts.map(({ change }) => change).join("; ")}`,
    };
  }

  /** What the relay does now: the task in hand with what else is said about it, or why it has none. */
  now(
    inHand: { readonly task: Task; readonly session: Session; readonly about: string } | undefined,
    {
      sessions,
      at,
      trouble,
    }: { readonly sessions: readonly Session[]; readonly at: number; readonly trouble: string | undefined },
  ): StatusText {
    if (inHand === undefined) return this.idling(sessions, at, trouble);
    return this.working(inHand.task, inHand.session, at, inHand.about);
  }

  /** The task in hand, for how long, and whether it waits for a person; `about` is what else to show. */
  working(task: Task, session: Session, now: number, about: string): StatusText {
    const { repo, number } = task.assignment;
    const minutes = Math.floor((now - task.acceptedAt) / 60_000);
    const standstill = task.standstill();
    const blocked = standstill === undefined ? "" : `; ${STANDSTILLS[standstill]}`;
    const rest = `${blocked}${about}; ${this.#name(session, now)}`;
    return {
      sentence: `working on ${repo}#${number} for ${minutes} min${rest}`,
      change: `working on ${repo}#${number}${rest}`,
    };
  }

  /** The hub's name with the tier that it gives and the limits that are left. */
  #name(session: Session, now: number): string {
    const { limits, toldAt, given } = this.#at(session);
    // It may have changed since the hub was connected.
    const { tier } = session;
    const left = limits === undefined ? [] : limitsLeft(limits, { toldAt, given, now }, this.#numbers);
    const about = [...(tier === undefined ? [] : [tier]), ...left];
    return about.length === 0 ? session.hub.host : `${session.hub.host} (${about.join(", ")})`;
  }

  #at(session: Session): AtHub {
    return this.#hubs.get(session) ?? UNKNOWN;
  }
}

/**
 * What is left of each limit: what the hub said, minus the tasks given since, as long as they are inside the limit's window.
 * Pure.
 */
export function limitsLeft(
  told: OwnLimitsLeft,
  { toldAt, given, now }: { readonly toldAt: number; readonly given: readonly number[]; readonly now: number },
  numbers: Pick<Durations, "hourWindowMs" | "dayWindowMs">,
): readonly string[] {
  const left = (used: number, most: number, windowMs: number) => {
    const since = given.filter((when) => when > now - windowMs).length;
    return Math.max(0, most - (now < toldAt + windowMs ? used : 0) - since);
  };
  const { used_hour, used_day, max_per_hour, max_per_day } = told;
  return [
    ...(max_per_hour > 0
      ? [`${left(used_hour, max_per_hour, numbers.hourWindowMs)} of ${max_per_hour} left this hour`]
      : []),
    ...(max_per_day > 0 ? [`${left(used_day, max_per_day, numbers.dayWindowMs)} of ${max_per_day} today`] : []),
  ];
}
