import { inspect } from "node:util";

/** Text that must never reach a log, an error, an argument list or an archive; it prints as `[secret]` everywhere. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself, for the one place that needs it. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}

/** Shorter strings are left alone: replacing them would garble ordinary words. */
const SHORTEST_SECRET = 8;

/** A function that puts `[secret]` in place of every known secret in a text. */
export function redactor(secrets: readonly (string | undefined)[]): (text: string) => string {
  const known = [
    ...new Set(secrets.filter((secret) => secret !== undefined && secret.length >= SHORTEST_SECRET)),
  ] as string[];
  known.sort((a, b) => b.length - a.length);
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, "[secret]"), text);
}
