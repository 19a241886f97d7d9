import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { exitCodeOf, seededRandom, sentenceOf, VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runBeads } from "./main.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-beads-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const random = seededRandom(21);

async function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = "",
): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const deps = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr, clock: new VirtualClock(), random };
  await runBeads(args, { NEST_BEADS_DIR: folder, NEST_AGENT_NAME: "scanner", ...environment }, deps);
  stdout.end();
  stderr.end();
  return `${await text(stdout)}${await text(stderr)}`;
}

test.each([
  ["without a name", ["list"], { NEST_AGENT_NAME: "" }, 2, /no agent is named/],
  ["with a name that is a path", ["list", "-agent", "../scanner"], {}, 2, /the agent's name is not one/],
  ["about a ledger that there is not", ["ready", "-agent", "nobody"], {}, 1, /nobody has no ledger/],
  ["without a verb", [], {}, 2, /say what to do/],
  ["with a verb that there is not", ["steal"], {}, 2, /unknown verb steal/],
  ["with a verb of every object", ["constructor"], {}, 2, /unknown verb constructor/],
  ["without a title", ["create"], {}, 2, /give the title/],
  ["with a title in pieces", ["create", "two", "words"], {}, 2, /one title only; put it between quotes/],
  ["with a type that there is not", ["create", "x", "-type", "story"], {}, 1, /^type: /],
  ["with metadata that is no JSON", ["create", "x", "-metadata", "{"], {}, 2, /takes a JSON object/],
  ["with metadata that is no object", ["create", "x", "-metadata", "[1]"], {}, 1, /^metadata: /],
  ["with nothing to change", ["update", "nest-1"], {}, 2, /nothing to change/],
  [
    "with a condition that is none",
    ["update", "nest-1", "-priority", "1", "-if-status", "new"],
    {},
    2,
    /-if-status takes/,
  ],
  ["to reset nothing", ["reset"], {}, 2, /which beads/],
  ["to close nothing", ["close"], {}, 2, /which bead/],
  ["to depend on nothing", ["dep", "add", "nest-1"], {}, 2, /dep add ID OTHER/],
  ["to import what is not there", ["import", "/nowhere"], {}, 1, /cannot be read: ENOENT/],
])("called %s it says what is wrong", async (_, args, environment, code, pattern) => {
  const thrown = await run(args, environment).catch((refused: unknown) => refused);
  expect(sentenceOf(thrown)).toMatch(pattern);
  expect(exitCodeOf(thrown)).toBe(code);
});

test.each([
  ["-cursor", "x"],
  ["-limit", "0"],
  ["-status", "open,new"],
  ["-priority", "7"],
])("a list with %s %s says what is wrong with it", async (flag, value) => {
  await run(["create", "x"]);
  await expect(run(["list", flag, value])).rejects.toThrow(`flag ${flag}`);
});

const verbs = "ready list show create update close reset remember dep import export compact mcp".split(" ");

test.each(verbs)("nest beads %s -h teaches, without a ledger", async (verb) => {
  expect(await run([verb, "-h"], { NEST_AGENT_NAME: "" })).toContain(`usage: nest beads ${verb}`);
});

test("nest beads -h names every verb and every variable", async () => {
  const page = await run(["-h"]);
  for (const word of [...verbs, "NEST_AGENT_NAME", "NEST_BEADS_DIR", "NEST_DATA_DIR", "-json"])
    expect(page).toContain(word);
});

test("long texts come by standard input", async () => {
  await run(["create", "x", "-notes", "-"], {}, "first\nsecond");
  await run(["remember", "-"], {}, "a thing to know");
  const { beads } = JSON.parse(await run(["list", "-json"])) as { beads: { title: string; notes: string }[] };
  expect(beads.map(({ title, notes }) => [title, notes]).sort()).toEqual([
    ["a thing to know", ""],
    ["x", "first\nsecond"],
  ]);
});

test("lines that cannot be read are told of on standard error, and the others are shown", async () => {
  await run(["create", "x"]);
  await run(["import", "-"], {}, '[{"id":"a","title":"imported"}]');
  await appendFile(join(folder, "scanner", "log-00000001.jsonl"), "garbage\n");
  const shown = await run(["list"]);
  expect(shown).toContain("imported");
  expect(shown).toContain("cannot be read: 1");
});

test("the pages of a list follow each other by the cursor that it names", async () => {
  for (const title of ["a", "b", "c"]) await run(["create", title]);
  const seen: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const page = await run(["list", "-limit", "1", ...(cursor === "" ? [] : ["-cursor", cursor])]);
    seen.push(/open +(\w)$/m.exec(page)?.[1] ?? "");
    cursor = /more: nest beads list -cursor (\S+)/.exec(page)?.[1];
  }
  expect(seen.sort()).toEqual(["a", "b", "c"]);
});
