import { readFile } from "node:fs/promises";
import { type Environment, parseFlags, sentenceOf, systemClock, UsageError } from "@nest/kit";
import { auditVerbs } from "./audit.ts";
import { connectionOf, refuseTokenInArguments } from "./connection.ts";
import { HubClient } from "./hub-client.ts";
import { pauseVerbs } from "./pause.ts";
import { queueVerbs } from "./queue.ts";
import { relayVerbs } from "./relays.ts";
import { settingsVerbs } from "./settings.ts";
import { taskVerbs } from "./tasks.ts";
import { USAGE } from "./usage.ts";
import { type ExitCode, hubctlFlags, type Verb } from "./verb.ts";

const areas: Readonly<Record<string, Readonly<Record<string, Verb>>>> = {
  queue: queueVerbs,
  relays: relayVerbs,
  tasks: taskVerbs,
  pause: pauseVerbs,
  settings: settingsVerbs,
  audit: auditVerbs,
};

export interface HubctlDeps {
  readonly environment: Environment;
  readonly fetch: typeof fetch;
  print(text: string): void;
  tell(text: string): void;
  readonly now: () => number;
}

/** `nest hubctl`: operates a hub from a terminal. @throws UsageError for wrong arguments; the caller prints it and exits 2. */
export function runHubctl(args: readonly string[], environment: Environment): Promise<ExitCode> {
  const clock = systemClock();
  return hubctl(args, {
    environment,
    fetch,
    print: (text) => process.stdout.write(text),
    tell: (text) => process.stderr.write(`nest hubctl: ${text}\n`),
    now: () => clock.now(),
  });
}

/** The same with everything passed in. */
export async function hubctl(args: readonly string[], deps: HubctlDeps): Promise<ExitCode> {
  refuseTokenInArguments(args);
  const { flags, words, help } = parseFlags(args, hubctlFlags, USAGE);
  const { environment, fetch: ask, print, tell, now } = deps;
  if (help) {
    print(USAGE);
    return 0;
  }
  const [area = "", command = "list", ...rest] = words;
  const verb = verbOf(area, command);
  const hub = new HubClient(await connectionOf(environment), ask);
  return verb({ hub, flags, words: rest, print, tell, readFile: readText, now });
}

function verbOf(area: string, command: string): Verb {
  if (area === "") throw new UsageError("which area?", { usage: USAGE });
  const verbs = Object.hasOwn(areas, area) ? areas[area] : undefined;
  if (verbs === undefined) throw new UsageError(`unknown area ${area}`, { usage: USAGE });
  const verb = Object.hasOwn(verbs, command) ? verbs[command] : undefined;
  if (verb === undefined)
    throw new UsageError(`${area}: unknown command ${command}: ${Object.keys(verbs).join(", ")}`, { usage: USAGE });
  return verb;
}

async function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch((thrown: unknown) => {
    throw new UsageError(`${path}: cannot be read: ${sentenceOf(thrown)}`);
  });
}
