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
