import { expect, test } from "vitest";
import { Signer } from "./signer.ts";

const master = Buffer.alloc(32, 7);
const signer = new Signer(master, "nest-hub session v1");

test("what was signed comes back as it was, from every replica with the same key", () => {
  const signed = signer.sign({ u: "ada", exp: 7 });
  expect(new Signer(master, "nest-hub session v1").open(signed)).toEqual({ u: "ada", exp: 7 });
});

test.each([
  ["another purpose", new Signer(master, "nest-hub sign-in v1").sign({ u: "ada" })],
  ["another key", new Signer(Buffer.alloc(32, 8), "nest-hub session v1").sign({ u: "ada" })],
  ["other words under the same signature", `${Buffer.from('{"u":"bob"}').toString("base64url")}.${signed("ada")}`],
  ["no signature", Buffer.from('{"u":"ada"}').toString("base64url")],
  ["a part too many", `${signer.sign({ u: "ada" })}.x`],
  ["a signature that is cut", signer.sign({ u: "ada" }).slice(0, -4)],
  ["nothing", ""],
])("%s is nobody's word", (_what, text) => {
  expect(signer.open(text)).toBeUndefined();
});

test("the secret of a text is always the same, differs for another text, and is fit for PKCE", () => {
  expect(signer.secretOf("a")).toBe(signer.secretOf("a"));
  expect(signer.secretOf("a")).not.toBe(signer.secretOf("b"));
  expect(signer.secretOf("a")).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

function signed(login: string): string {
  return signer.sign({ u: login }).split(".")[1] ?? "";
}
