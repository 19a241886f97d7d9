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
  return (text) => strikeOut(text, known);
}

/** A text with `[secret]` in place of each of these; where some overlap, in place of all that any of them covers. */
export function strikeOut(text: string, secrets: readonly string[]): string {
  const spans: [from: number, to: number][] = [];
  for (const secret of secrets)
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1))
      spans.push([at, at + secret.length]);
  if (spans.length === 0) return text;
  spans.sort(([a], [b]) => a - b);
  let [clean, kept] = ["", 0];
  for (const [from, to] of spans) {
    if (from >= kept) clean += `${text.slice(kept, from)}[secret]`;
    kept = Math.max(kept, to);
  }
  return clean + text.slice(kept);
}
