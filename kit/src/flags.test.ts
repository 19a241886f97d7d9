import { expect, test } from "vitest";
import { errorLines } from "./errors.ts";
import { parseFlags } from "./flags.ts";

const known = { file: "text", "skip-spokes": "switch", port: "number" } as const;

test("one dash or two, value after a space or an equals sign, words where they stand", () => {
  expect(parseFlags(["run", "-file", "a", "--skip-spokes=false", "-port=80", "--", "-x"], known)).toEqual({
    flags: { file: "a", "skip-spokes": false, port: 80 },
    words: ["run", "-x"],
    help: false,
  });
  expect(parseFlags(["-skip-spokes", "-h"], known)).toMatchObject({ flags: { "skip-spokes": true }, help: true });
});

test("what is wrong comes with the usage, as a command prints it", () => {
  const printed = (args: readonly string[]) => {
    try {
      parseFlags(args, known, "usage: nest hub\n\nmore\n");
    } catch (thrown) {
      return errorLines("nest hub", thrown);
    }
    return [];
  };
  expect(printed(["-nope"])).toEqual(["nest hub: error: unknown flag -nope", "", "usage: nest hub", "", "more"]);
  expect(printed(["-port=x"])).toContain("usage: nest hub");
});

test.each([
  [["-nope"], "unknown flag -nope"],
  [["-file"], "flag -file needs a value"],
  [["-file", "a", "--file=b"], "flag -file is given twice"],
  [["-skip-spokes=perhaps"], 'flag -skip-spokes takes true or false, not "perhaps"'],
  [["-port", "80x"], 'flag -port takes a whole number, not "80x"'],
  [["--__proto__=1"], "unknown flag --__proto__=1"],
  [["--constructor=1"], "unknown flag -constructor"],
])("%j is refused with a sentence that names the flag", (args, sentence) => {
  expect(() => parseFlags(args, known)).toThrow(sentence);
});
