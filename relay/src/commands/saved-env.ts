import { copyFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Environment, isAbsent, makePrivateFolder, readTextIfPresent, writeFileAtomic } from "@nest/kit";
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
