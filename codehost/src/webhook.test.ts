import { createHmac } from "node:crypto";
import { Secret } from "@nest/kit";
import { expect, test } from "vitest";
import { verifyWebhook } from "./webhook.ts";

const secret = new Secret("a shared secret");
const sign = (body: string, key = "a shared secret") =>
  `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;

test("a body signed with the secret is believed, as text and as bytes", () => {
  expect(verifyWebhook(secret, "{}", sign("{}"))).toBe(true);
  expect(verifyWebhook(secret, Buffer.from("{}"), sign("{}"))).toBe(true);
});

test.each([
  ["no signature", undefined],
  ["an empty one", ""],
  ["another body's", sign("{ }")],
  ["another secret's", sign("{}", "another secret")],
  ["the old kind", sign("{}").replace("sha256", "sha1")],
  ["one that is cut", sign("{}").slice(0, -2)],
  ["one that goes on", `${sign("{}")}00`],
])("with %s it is not", (_, signature) => {
  expect(verifyWebhook(secret, "{}", signature)).toBe(false);
});
