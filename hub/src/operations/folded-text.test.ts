import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { anywhere, type FoldedText, whole } from "./folded-text.ts";

/** Whether SQLite, and then what is asked of its rows, finds a text. */
function finds(wanted: FoldedText, text: string): boolean {
  const database = new DatabaseSync(":memory:");
  const row = database.prepare("select lower(?) like ? escape '\\' as found").get(text, wanted.pattern);
  database.close();
  return row?.found === 1 && (!wanted.findsMore || wanted.matches(text));
}

test.each([
  ["größe", "Die GRÖßE der Seite", true],
  ["GRÖSSE", "die grösse der seite", true],
  ["größe", "Die Grube der Seele", false],
  ["ключ", "Потерян КЛЮЧ", true],
  ["100%", "at 100% load", true],
  ["100%", "at 1000 loads", false],
  ["a_b\\", "A_B\\", true],
  ["a_b", "axb", false],
  ["", "anything", true],
])("%s in %s: %s, with a case that is not of ASCII too", (wanted, text, expected) => {
  expect(finds(anywhere(wanted), text)).toBe(expected);
});

test("a whole text is found in any case, and no longer one", () => {
  expect([
    finds(whole("MODÈLE-1"), "modèle-1"),
    finds(whole("modèle"), "modèle-1"),
    finds(whole("gpt"), "GPT"),
  ]).toEqual([true, false, true]);
  expect(whole("").pattern).toBe("");
});
