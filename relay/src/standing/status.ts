import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Environment, isAbsent, readTextIfPresent } from "@nest/kit";
import { isNameHeld } from "../name/name-lock.ts";
import { sessionLocks } from "../name/session-name.ts";
import { readConfig, stateFolderIn } from "../settings/config.ts";
import { parseContributorEnv } from "../settings/contributor-env.ts";
import { askHub } from "./ask-hub.ts";
import { standingLines } from "./standing-words.ts";

const TASKS = 10;

export interface StatusDeps {
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly out: { write(text: string): unknown };
}

/**
 * `nest relay status`: which relays run on this machine, and how the contributor stands at each hub. Resolves with the exit code:
 * 0, or 1 when a hub could not say.
 *
 * @throws UsageError where the configuration is wrong.
 */
export async function relayStatus(environment: Environment, asJson: boolean, deps: StatusDeps): Promise<number> {
  const file = join(environment.HOME || homedir(), ".config/nest/contributor.env");
  const config = readConfig(environment, parseContributorEnv((await readTextIfPresent(file)) ?? "", file));
  const [own, standings] = await Promise.all([
    runningHere(stateFolderIn(environment)),
    Promise.all(config.hubs.map((hub) => askHub(hub, deps.fetch, TASKS))),
  ]);
  const ok = standings.every((one) => "found" in one);
  if (asJson) {
    const hubs = standings.map((one) =>
      "found" in one
        ? { hub: one.hub.host, ...one.found }
        : { hub: one.hub.host, trouble: one.trouble, ...(one.remedy === undefined ? {} : { remedy: one.remedy }) },
    );
    deps.out.write(`${JSON.stringify({ relays_here: own, hubs })}\n`);
    return ok ? 0 : 1;
  }
  const here = own.length === 0 ? "no relay runs on this machine" : `running on this machine: ${own.join(", ")}`;
  const names = new Set(own);
  const lines = standings.flatMap((one) => ["", ...standingLines(one, names, deps.now())]);
  deps.out.write(`${[here, ...lines].join("\n")}\n`);
  return ok ? 0 : 1;
}

/** The names of the relays that run on this state folder. */
async function runningHere(stateFolder: string): Promise<readonly string[]> {
  const folder = sessionLocks(stateFolder);
  const names = await readdir(folder).catch((thrown: unknown) => {
    if (isAbsent(thrown)) return [];
    throw thrown;
  });
  const held = await Promise.all(names.map((name) => isNameHeld(folder, name)));
  return names.filter((_, at) => held[at] === true).sort();
}
