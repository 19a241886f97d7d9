import { redactor } from "@nest/kit";
import { SecretMask, type StreamMask } from "./secret-mask.ts";

/** Credentials of ended tasks stay known for a while: a late message may still contain one. */
const MOST_ENDED = 200;
/** A hub renews a task's credential a few times an hour. One that sends many loses only the oldest of its own. */
const MOST_OF_A_TASK = 100;

/** What a credential belongs to: its task. */
type Owner = object;

/**
 * Everything that this relay must never print or send: the contributor's own secrets for good, a task's credentials during the
 * task and for a while after.
 */
export class KnownSecrets {
  readonly #own: readonly string[];
  readonly #redactOwn: (text: string) => string;
  readonly #ofTasks = new Map<Owner, readonly string[]>();
  #ended: readonly string[] = [];
  #redact: (text: string) => string;

  constructor(own: readonly string[]) {
    this.#own = own.flatMap(spellingsOf);
    this.#redactOwn = redactor(this.#own);
    this.#redact = this.#redactOwn;
  }

  /** Learns a credential of a task in hand. */
  learn(task: Owner, secret: string): void {
    const known = this.#ofTasks.get(task) ?? [];
    if (known.includes(secret)) return;
    this.#ofTasks.set(task, [...known, secret].slice(-MOST_OF_A_TASK));
    this.#renew();
  }

  /** The task is over: its credentials may be forgotten once there are too many. */
  taskEnded(task: Owner): void {
    const known = this.#ofTasks.get(task);
    if (known === undefined) return;
    this.#ofTasks.delete(task);
    this.#ended = [...this.#ended, ...known].slice(-MOST_ENDED);
    this.#renew();
  }

  /** The text without any secret: for whatever people read. */
  redact(text: string): string {
    return this.#redact(text);
  }

  /**
   * The text without the contributor's own secrets, for messages to hubs. Credentials stay: otherwise a hub could send words as
   * a credential and so remove them from what another hub is told.
   */
  redactOwn(text: string): string {
    return this.#redactOwn(text);
  }

  /** A mask for one stream of what this task's agent prints; it knows renewed credentials at once. */
  maskFor(task: Owner): StreamMask {
    return new SecretMask(() => [...this.#own, ...(this.#ofTasks.get(task) ?? []).flatMap(spellingsOf)]);
  }

  #renew(): void {
    const ofTasks = [...this.#ofTasks.values()].flat();
    this.#redact = redactor([...this.#own, ...[...ofTasks, ...this.#ended].flatMap(spellingsOf)]);
  }
}

/** A secret as it is, as JSON text, and percent-encoded. */
function spellingsOf(secret: string): readonly string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encoded(secret)])];
}

function encoded(secret: string): string {
  return encodeURIComponent(secret.toWellFormed());
}
