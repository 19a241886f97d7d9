import { type Ledger, MESSAGE_PREFIX, messagesTo, PAUSE_PREFIX, type Pause } from "@nest/dispatch";
import type { Roster } from "./roster.ts";
import type { Session } from "./session.ts";

export interface NoticeDeps {
  readonly ledger: Ledger;
  readonly roster: Roster;
  readonly now: () => number;
}

/**
 * Tells connected relays, with the `notice` that relays of every release print, what admins wrote to their contributor and that a
 * pause of theirs begins or ends. Each replica tells its own relays, because it hears of each changed setting.
 */
export class Notices {
  readonly #deps: NoticeDeps;
  readonly #startedAt: number;
  /** When the last message that was told to a contributor's relays was written. */
  readonly #toldUntil = new Map<string, number>();

  constructor(deps: NoticeDeps) {
    this.#deps = deps;
    this.#startedAt = deps.now();
  }

  /** Call when settings changed, with their new values by name. */
  changed(settings: ReadonlyMap<string, unknown>): void {
    for (const [name, value] of settings) {
      if (name.startsWith(MESSAGE_PREFIX)) this.#tellMessages(name.slice(MESSAGE_PREFIX.length));
      if (name.startsWith(PAUSE_PREFIX)) this.#tellPause(name.slice(PAUSE_PREFIX.length), value as Pause | undefined);
    }
  }

  #tellMessages(contributorId: string): void {
    const { ledger, roster } = this.#deps;
    const told = this.#toldUntil.get(contributorId) ?? this.#startedAt - 1;
    const fresh = messagesTo(ledger, contributorId)
      .filter(({ at }) => at > told)
      .reverse();
    for (const { at, by, text, taskId } of fresh) {
      this.#toldUntil.set(contributorId, at);
      const holder = taskId === undefined ? undefined : ledger.lease(taskId)?.connection;
      const all = roster.of(contributorId);
      // About a task, only the relay that has it is told; where none has it any more, all are.
      for (const session of holder === undefined ? all : all.filter(({ connection }) => connection === holder))
        session.send({ type: "notice", message: `${by} writes: ${text}` });
    }
  }

  /** `scope` is what follows the prefix in a pause's setting. */
  #tellPause(scope: string, pause: Pause | undefined): void {
    const [kind, ...rest] = scope.split(":");
    const about = rest.join(":");
    const words = whomWords[kind ?? ""];
    if (words === undefined) return;
    const message =
      pause === undefined ? `an admin ended the pause of ${words}` : `an admin paused ${words}${endOf(pause)}`;
    for (const session of this.#sessions(kind ?? "", about)) session.send({ type: "notice", message });
  }

  #sessions(kind: string, about: string): Iterable<Session> {
    const { roster } = this.#deps;
    if (kind === "everything") return roster.all();
    return kind === "contributor" ? roster.of(about) : roster.ofIdentity(about);
  }
}

/** A paused repository is told to nobody: relays hear of its issues with the reasons for which issues are withheld. */
const whomWords: Readonly<Record<string, string>> = {
  everything: "everybody",
  contributor: "you",
  session: "this relay",
};

function endOf({ until, note }: Pause): string {
  const end = until === null ? "" : ` until ${new Date(until).toISOString()}`;
  return `${end}${note === "" ? "" : `: ${note}`}; what is under way goes on`;
}
