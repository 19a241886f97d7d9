import { copyFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import {
  type Environment,
  isAbsent,
  makePrivateFolder,
  readTextIfPresent,
  UsageError,
  variable,
  writeFileAtomic,
} from "@nest/kit";
import { parseContributorEnv } from "../settings/contributor-env.ts";
import { comparable } from "../settings/kept-hubs.ts";

export function contributorEnvFile(environment: Environment): string {
  return join(environment.HOME || homedir(), ".config/nest/contributor.env");
}

/**
 * What is kept; empty before the first registration.
 *
 * @throws UsageError naming file and line when it is not strictly `KEY=VALUE` lines.
 */
export async function readSaved(environment: Environment): Promise<Readonly<Record<string, string>>> {
  const file = contributorEnvFile(environment);
  return parseContributorEnv((await readTextIfPresent(file)) ?? "", file);
}

/** The variables that say where the code host is; kept by setup, so that the next shell knows it too. */
const CODE_HOST = ["NEST_GITHUB_URL", "NEST_GITHUB_API_URL"] as const;

/** The environment with the code host that is kept, where it names none itself. */
export function withKeptCodeHost(environment: Environment, saved: Readonly<Record<string, string>>): Environment {
  const names = CODE_HOST.filter((name) => variable(environment, name) === undefined && saved[name] !== undefined);
  return names.length === 0
    ? environment
    : { ...environment, ...Object.fromEntries(names.map((name) => [name, saved[name]])) };
}

/**
 * What setup keeps of the code host's address.
 *
 * @param hasOthers whether other hubs are kept already.
 * @throws UsageError where those work with another one: a relay works with one code host.
 */
export function codeHostToKeep(
  environment: Environment,
  saved: Readonly<Record<string, string>>,
  hasOthers: boolean,
): Readonly<Record<string, string>> {
  const named = CODE_HOST.flatMap((name) => {
    const value = variable(environment, name)?.replace(/\/+$/, "");
    return value === undefined ? [] : [[name, value] as const];
  });
  const other = named.find(([name, value]) => saved[name] !== undefined && saved[name] !== value);
  if (other !== undefined && hasOthers)
    throw new UsageError(`${other[0]}: the hubs kept here work with another code host, and a relay works with one`, {
      hint: "register this hub under another HOME, and run a relay of its own there",
    });
  return Object.fromEntries(named);
}

export interface Registration {
  readonly hub: string;
  readonly token: string;
  readonly contributorId: string;
}

/** Adds a hub to what is kept, or replaces it; tokens and ids stay in the order of the hubs. */
export function withRegistration(
  saved: Readonly<Record<string, string>>,
  registration: Registration,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const list = (name: string) => (saved[name] ?? "").split(",").filter((part) => part !== "");
  const [hubs, tokens, ids] = [list("NEST_HUB"), list("NEST_REGISTRATION_TOKEN"), list("CONTRIBUTOR_ID")];
  const known = hubs.map(comparable).indexOf(comparable(registration.hub));
  const at = known === -1 ? hubs.length : known;
  hubs[at] = registration.hub;
  tokens[at] = registration.token;
  ids[at] = registration.contributorId;
  return {
    ...saved,
    ...more,
    NEST_HUB: hubs.join(","),
    NEST_REGISTRATION_TOKEN: tokens.join(","),
    CONTRIBUTOR_ID: ids.join(","),
  };
}

/** Writes the file whole, 0600, the one before kept as `.bak`. */
export async function writeSaved(environment: Environment, values: Readonly<Record<string, string>>): Promise<string> {
  const file = contributorEnvFile(environment);
  await makePrivateFolder(dirname(file));
  try {
    await copyFile(file, `${file}.bak`);
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
  }
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value.replace(/[\r\n]/g, "")}`);
  await writeFileAtomic(
    file,
    `# Written by contribute-setup. One KEY=VALUE a line; never executed.\n${lines.join("\n")}\n`,
  );
  return file;
}
