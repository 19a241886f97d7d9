import { readdirSync, readFileSync } from "node:fs";

/** A step of a transcript (protocol/vectors/transcripts/README.md). */
export type Step =
  | { readonly connection: number; readonly from: "hub" | "relay"; readonly frame: Frame }
  | { readonly do: "connect" | "cut"; readonly connection: number }
  | { readonly do: "kill hub" | "open issue" }
  | { readonly do: "wait"; readonly ms: number };
export type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Transcript {
  readonly name: string;
  readonly ours: "hub" | "relay";
  readonly source: "recorded" | "composed";
  /** Open issues of our hub at the start; 8 where it does not say. */
  readonly issues?: number;
  /** Whether our hub hands out credentials. */
  readonly hub_is_app?: boolean;
  /** How long the agent of our relay works. */
  readonly agent_seconds?: number;
  readonly steps: readonly Step[];
}

const folder = new URL("../../protocol/vectors/transcripts/", import.meta.url);
const WILDCARD = /^\{\{(\w+):(\w+)\}\}$/;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/;

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string" && value !== "",
  line: (value) => typeof value === "string" && value !== "" && !CONTROLS.test(value),
  number: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  time: (value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value)),
  list: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
};

/** The transcripts that check this side, each with its file's name. */
export function transcriptsOf(ours: Transcript["ours"]): { readonly file: string; readonly transcript: Transcript }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((file) => ({ file, transcript: JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Transcript }))
    .filter(({ transcript }) => transcript.ours === ours);
}

/** The values that the names of a transcript stand for, in one replay. */
export class Bindings {
  readonly #values = new Map<string, unknown>();

  bind(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  /** A frame of the other side with the values for its names. @throws Error for a name that has none yet. */
  filled(frame: Frame): Frame {
    const fill = (value: unknown): unknown => {
      const [, name] = (typeof value === "string" && WILDCARD.exec(value)) || [];
      if (name !== undefined) {
        if (!this.#values.has(name)) throw new Error(`nothing is known of {{${name}}} yet`);
        return this.#values.get(name);
      }
      if (Array.isArray(value)) return value.map(fill);
      return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one)])) : value;
    };
    return fill(frame) as Frame;
  }

  /** Why a frame of ours is not the one expected; undefined when it is. Keeps the values of new names. */
  difference(expected: unknown, actual: unknown, at = ""): string | undefined {
    const [, name, kind = ""] = (typeof expected === "string" && WILDCARD.exec(expected)) || [];
    if (name !== undefined) {
      if (this.#values.has(name)) return same(this.#values.get(name), actual, at);
      if (kinds[kind]?.(actual) !== true) return `${at}: ${JSON.stringify(actual)} is no ${kind}`;
      this.bind(name, actual);
      return undefined;
    }
    if (!isRecord(expected) || !isRecord(actual)) return same(expected, actual, at);
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    for (const field of names) {
      if (at === "" && field === "seq") continue;
      if (!Object.hasOwn(expected, field)) return `${at}.${field}: not in the transcript`;
      if (!Object.hasOwn(actual, field)) return `${at}.${field}: missing`;
      const found = this.difference(expected[field], actual[field], `${at}.${field}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function same(expected: unknown, actual: unknown, at: string): string | undefined {
  const [wanted, got] = [JSON.stringify(expected), JSON.stringify(actual)];
  return wanted === got ? undefined : `${at}: ${got} instead of ${wanted}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
