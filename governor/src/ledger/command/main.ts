import { stat } from "node:fs/promises";
import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { type Environment, isAbsent, parseFlags, systemClock, systemRandom, UsageError } from "@nest/kit";
import { lookingVerbs } from "./looking-verbs.ts";
import { type BeadsCommandDeps, openLedger } from "./open-ledger.ts";
import { ledgerAbsent, type Place, placeOf } from "./place.ts";
import type { Verb, VerbAnswer } from "./verb.ts";
import { writingVerbs } from "./writing-verbs.ts";

const verbs: Readonly<Record<string, Verb>> = { ...lookingVerbs, ...writingVerbs };

const USAGE = `usage: nest beads <verb> [-agent NAME] [-json] …

An agent's work ledger: what is to do (beads), what waits for what, and what was done.

${Object.entries(verbs)
  .map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`)
  .join("\n")}
  mcp       the same for an agent's CLI: a Model Context Protocol server on standard input and output

nest beads <verb> -h tells more. A first round:

  nest beads create "write the parser" -priority 1
  nest beads create "write its manual" -depends-on ID-OF-THE-FIRST
  nest beads ready                 shows the parser alone
  nest beads close ID -because "merged in acme/shop#12"

flags of every verb:
  -agent NAME   whose ledger (default NEST_AGENT_NAME)
  -json         prints JSON

environment:
  NEST_AGENT_NAME   who you are
  NEST_BEADS_DIR    where the ledgers are, a folder for each agent (default <NEST_DATA_DIR>/beads)
  NEST_DATA_DIR     default /data
`;

/**
 * `nest beads`: one verb on one agent's ledger.
 *
 * @throws UsageError for wrong arguments, NestError for what the ledger refuses; the caller prints it and exits 2 or 1.
 */
export async function runBeads(
  args: readonly string[],
  environment: Environment,
  deps: BeadsCommandDeps = ofThisProcess(),
): Promise<void> {
  const [name = "", ...rest] = args;
  if (name === "mcp") {
    const { runMcp } = await import("./mcp.ts");
    return runMcp(rest, environment, deps);
  }
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) {
    if (/^--?h(elp)?$/.test(name)) return print(deps.stdout, [USAGE.trimEnd()]);
    throw new UsageError(name === "" ? "say what to do" : `unknown verb ${name}`, { usage: USAGE });
  }
  const usage = `usage: nest beads ${name} ${verb.usage}\n`;
  const { flags, words, help } = parseFlags(rest, { ...verb.flags, agent: "text", json: "switch" }, usage);
  if (help) return print(deps.stdout, [`${verb.summary}\n\n${usage.trimEnd()}`]);
  const place = placeOf(environment, flags.agent as string | undefined);
  if (verb.reads === true) await demandFolder(place);
  await using ledger = await openLedger(place, deps);
  const answer = await verb.run({ ledger, flags, words, input: () => text(deps.stdin) });
  await print(deps.stdout, flags.json === true ? jsonLines(answer) : answer.lines);
  const { count } = ledger.problems;
  if (count > 0)
    await print(deps.stderr, [`nest beads: warning: lines of ${place.folder} that cannot be read: ${count}`]);
}

async function demandFolder(place: Place): Promise<void> {
  try {
    await stat(place.folder);
  } catch (thrown) {
    if (isAbsent(thrown)) throw ledgerAbsent(place);
  }
}

function jsonLines({ json, lines }: VerbAnswer): Iterable<string> {
  return json === undefined ? lines : [JSON.stringify(json)];
}

/** Waits where the reader is slow; ends quietly where it has gone (`| head`). */
async function print(to: Writable, lines: Iterable<string>): Promise<void> {
  let goOn: () => void = () => undefined;
  let isGone = false;
  to.on("drain", () => goOn());
  to.on("error", () => {
    isGone = true;
    goOn();
  });
  for (const line of lines) {
    if (isGone) return;
    if (to.write(`${line}\n`) || to.writableLength === 0) continue;
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
  }
}

function ofThisProcess(): BeadsCommandDeps {
  const { stdin, stdout, stderr } = process;
  return { stdin, stdout, stderr, clock: systemClock(), random: systemRandom() };
}
