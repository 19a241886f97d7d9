import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SecretMask } from "./secret-mask.ts";

const SECRET = "ghs_sécret-of-the-task";

function through(pieces: readonly Buffer[], ...secrets: string[]): string {
  const mask = new SecretMask(() => secrets);
  return Buffer.concat([...pieces.map((piece) => mask.take(piece)), mask.end()]).toString("utf8");
}

describe("a secret in a stream", () => {
  test("is struck out wherever the stream is cut", () => {
    const whole = Buffer.from(`before ${SECRET} between ${SECRET}${SECRET} after ghs_sécret-of no`);
    const shown = "before [secret] between [secret][secret] after ghs_sécret-of no";
    for (let first = 0; first <= whole.length; first += 1)
      for (let second = first; second <= whole.length; second += 1) {
        const pieces = [whole.subarray(0, first), whole.subarray(first, second), whole.subarray(second)];
        expect(through(pieces, SECRET)).toBe(shown);
      }
  });

  test("is struck out byte by byte, when one is the beginning of another, and when one ends as another begins", () => {
    const bytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
    expect(through(bytes("abcdefgh-longer and abcdefgh"), "abcdefgh", "abcdefgh-longer")).toBe("[secret] and [secret]");
    expect(through(bytes("12345678ab."), "12345678ab", "abQQQQQQQQ")).toBe("[secret].");
  });

  test("is known from the moment it comes, and nothing else is changed", () => {
    const secrets: string[] = [];
    const mask = new SecretMask(() => secrets);
    const before = mask.take(Buffer.from("a later-secret "));
    secrets.push("later-secret");
    expect(`${before}${mask.take(Buffer.from("a later-secret"))}${mask.end()}`).toBe("a later-secret a [secret]");
  });

  test("is held back only as far as it may have begun, and the rest is passed on at once", () => {
    const mask = new SecretMask(() => ["ghs_sécret", "pass"]);
    const passed = ["out: ghs", "_sé", "xy gh", "o pass", " ghs_sé"].map((piece) => `${mask.take(Buffer.from(piece))}`);
    expect(passed).toEqual(["out: ", "", "ghs_séxy ", "gho pass", " "]);
    expect([`${mask.end()}`, `${mask.end()}`]).toEqual(["ghs_sé", ""]);
  });

  test("that is whole is struck out and passed on at once, with what follows it", () => {
    const mask = new SecretMask(() => ["abcdefgh"]);
    expect(`${mask.take(Buffer.from("x abcdefgh"))}`).toBe("x [secret]");
    expect(`${mask.take(Buffer.from("abcdefgh y"))}`).toBe("[secret] y");
  });

  test("is struck out where it has eight bytes; shorter ones would garble ordinary words", () => {
    const shown = through([Buffer.from("seven77 eight888 thé-end.")], "seven77", "eight888", "thé-end");
    expect(shown).toBe("seven77 [secret] [secret].");
  });

  test("that lies within the beginning of a longer one is held back with it", () => {
    const mask = new SecretMask(() => ["abcdefgh", "xxabcdefghYY"]);
    expect(`${mask.take(Buffer.from("a xxabcdefgh"))}`).toBe("a ");
    expect(`${mask.take(Buffer.from("YY"))}${mask.end()}`).toBe("[secret]");
  });

  test("that ends as another begins is struck out whole, though a third may begin at the end", () => {
    const secrets = ["first-and-shared", "sharedkl", "klmnopqrst"];
    const mask = new SecretMask(() => secrets);
    expect(`${mask.take(Buffer.from("a first-and-sharedkl"))}${mask.end()}`).toBe("a [secret]");
  });

  test("never leaves the mask, whatever is around it and however it is cut", () => {
    const word = fc.string({ minLength: 8, maxLength: 12, unit: fc.constantFrom("a", "b", "c") });
    const pieces = fc.array(fc.string({ maxLength: 20, unit: fc.constantFrom("a", "b", "c") }), { maxLength: 8 });
    fc.assert(
      fc.property(word, pieces, pieces, fc.integer({ min: 1, max: 11 }), (secret, before, after, cut) => {
        const text = [...before, secret.slice(0, cut), secret.slice(cut), ...after].map((piece) => Buffer.from(piece));
        expect(through(text, secret)).not.toContain(secret);
      }),
      { numRuns: 3000 },
    );
  });
});
