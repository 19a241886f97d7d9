import { compareVersions, PROTOCOL_VERSION } from "@nest/protocol";
import type { Session } from "./session/session.ts";
import type { Task } from "./task/task.ts";
import type { Voice } from "./voice.ts";

/** How the relay stands with each hub, in words for a person. */
export class Standing {
  readonly #voice: Voice;
  readonly #notes = new Map<Session, string>();
  readonly #drifted = new Set<Session>();

  constructor(voice: Voice) {
    this.#voice = voice;
  }

  /** What this hub last gave as a reason for idling. */
  note(session: Session, note: string): void {
    this.#notes.set(session, note);
  }

  /** The hub is here again. A protocol that differs is said once. */
  welcome(session: Session, declared: string | undefined): void {
    this.#notes.delete(session);
    const verdict = compareVersions(declared);
    if (this.#drifted.has(session)) return;
    if (verdict !== "older" && verdict !== "newer" && verdict !== "incompatible") return;
    this.#drifted.add(session);
    this.#voice.say(`hub ${session.hub.host} speaks protocol ${declared} (${verdict}), this relay ${PROTOCOL_VERSION}`);
  }

  /** One sentence on why nothing is in hand. */
  idling(sessions: readonly Session[]): string {
    const notes = sessions.map((session) => `${session.hub.host}: ${this.#notes.get(session) ?? "asked for work"}`);
    return `idle; ${notes.join("; ")}`;
  }
}

/** One sentence on the task in hand. */
export function working(task: Task, session: Session, now: number): string {
  const { repo, number } = task.assignment;
  const minutes = Math.floor((now - task.acceptedAt) / 60_000);
  const blocked = task.status() === "blocked_on_human" ? "; it waits for you" : "";
  return `working on ${repo}#${number} of ${session.hub.host} for ${minutes} min${blocked}`;
}
