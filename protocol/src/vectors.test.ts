import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readHubFrame, readRelayFrame } from "./frame.ts";
import { HubMessage } from "./hub-to-relay.ts";
import { RelayMessage } from "./relay-to-hub.ts";

/** One file of `vectors/`: a frame of one direction, and what a reader of this release makes of it. */
interface Vector {
  readonly name: string;
  readonly direction: "hub-to-relay" | "relay-to-hub";
  /** The frame as an object, or as the very text where an object could not say it. */
  readonly frame?: unknown;
  readonly text?: string;
  readonly expect: "message" | "unknown" | "malformed";
  /** Fields the message must be read with. */
  readonly reads?: Record<string, unknown>;
  /** Fields that must not survive the reading. */
  readonly drops?: readonly string[];
}

const folder = new URL("../vectors/", import.meta.url);
const vectors = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((file) => ({ file, vector: JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Vector }));

describe("the vectors of the relay wire", () => {
  test.each(vectors)("$file: $vector.name", ({ vector }) => {
    const text = vector.text ?? JSON.stringify(vector.frame);
    const read = vector.direction === "hub-to-relay" ? readHubFrame(text) : readRelayFrame(text);
    expect(read.kind).toBe(vector.expect);
    if (read.kind !== "message") return;
    expect(read.message).toMatchObject(vector.reads ?? {});
    for (const name of vector.drops ?? []) expect(Object.hasOwn(read.message, name)).toBe(false);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("hold an example of every message of both directions", () => {
    const shown = (direction: string) =>
      new Set(
        vectors
          .filter(({ vector }) => vector.direction === direction && vector.expect === "message")
          .map(({ vector }) => (JSON.parse(vector.text ?? JSON.stringify(vector.frame)) as { type: string }).type),
      );
    const types = (options: readonly { shape: { type: { value: string } } }[]) =>
      new Set(options.map((option) => option.shape.type.value));
    expect(shown("hub-to-relay")).toEqual(types(HubMessage.options));
    expect(shown("relay-to-hub")).toEqual(types(RelayMessage.options));
  });
});
