import { seededRandom } from "@nest/kit";
import { expect, test } from "vitest";
import { MessageSeal } from "./sealed-message.ts";

const key = Buffer.alloc(32, 7);
const seal = (sender: string, { with: used = key, schema = "public" } = {}) =>
  new MessageSeal(used, sender, () => schema, seededRandom(sender.length));

test("what one replica seals another opens, once", () => {
  const [one, other] = [seal("a"), seal("bb")];
  const text = one.seal({ topic: "heartbeat" });
  expect(other.open(text)).toEqual({ topic: "heartbeat" });
  expect(other.open(text)).toBeUndefined();
});

test("a sealed message shows nothing of what is in it", () => {
  const text = seal("a").seal({ topic: "heartbeat", body: "acme/vault" });
  expect(Buffer.from(text, "base64").toString("latin1")).not.toMatch(/heartbeat|acme/);
});

test("messages that overtook each other are all taken, each once", () => {
  const [one, other] = [seal("a"), seal("bb")];
  const texts = Array.from({ length: 500 }, (_, nth) => one.seal({ nth })).reverse();
  expect(texts.map((text) => other.open(text)).filter((message) => message !== undefined)).toHaveLength(500);
  expect(texts.map((text) => other.open(text)).filter((message) => message !== undefined)).toEqual([]);
});

test("what is very old is not taken, though its number was forgotten", () => {
  const [one, other] = [seal("a"), seal("bb")];
  const first = one.seal({ nth: 0 });
  other.open(first);
  for (let nth = 0; nth < 5000; nth += 1) other.open(one.seal({ nth }));
  expect(other.open(first)).toBeUndefined();
});

test.each([
  ["of another key", seal("a", { with: Buffer.alloc(32, 8) }).seal({})],
  ["of another schema", seal("a", { schema: "other" }).seal({})],
  ["changed by a bit", flipped(seal("a").seal({ topic: "leader" }))],
  ["cut short", seal("a").seal({}).slice(0, 20)],
  ["empty", ""],
  ["plain JSON", JSON.stringify({ from: "x", topic: "heartbeat", body: null })],
])("a message %s is none", (_what, text) => {
  expect(seal("bb").open(text)).toBeUndefined();
});

function flipped(text: string): string {
  const bytes = Buffer.from(text, "base64");
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  return bytes.toString("base64");
}
