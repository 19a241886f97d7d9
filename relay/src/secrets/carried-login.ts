import { createHash } from "node:crypto";
import { lstat, mkdir, readFile, rm, symlink } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize } from "node:path";
import type { GivenFile } from "@nest/agents";
import { type Clock, readTextIfPresent, writeFileAtomic } from "@nest/kit";

/**
 * Carries an agent CLI's login into a container: `contribute-hive` hands the files over as one secret, and the relay inside puts
 * them where the CLI looks for them. They lie in the state folder, a volume, because a CLI renews its login: the next container
 * goes on with what the last one renewed, until the person signs in anew on their own machine.
 */
export const CARRIED_LOGIN = "NEST_AGENT_LOGIN_SECRET";

/** More than any login is, and less than what a container runtime takes as one variable. */
const MOST_BYTES = 96 * 1024;
const FOLDER = "logins";
const KEEP_EVERY_MS = 60_000;

/** The files as one value; undefined where they are none, or too large. */
export function packLogin(files: readonly GivenFile[]): string | undefined {
  const text = JSON.stringify(Object.fromEntries(files.map(({ path, text }) => [path, text])));
  return files.length === 0 || text.length > MOST_BYTES ? undefined : text;
}

export interface LoginPlace {
  readonly home: string;
  readonly stateFolder: string;
}

/** Runs `act` with the carried login in place, if there is one; what the CLI renews is kept each minute and at the end. */
export async function withCarriedLogin<Result>(
  packed: string | undefined,
  place: LoginPlace & { readonly clock: Clock },
  act: () => Promise<Result>,
): Promise<Result> {
  if (packed === undefined) return act();
  const login = await placeLogin(packed, place);
  const cancel = place.clock.every(KEEP_EVERY_MS, () => void login.keep());
  try {
    return await act();
  } finally {
    cancel();
    await login.keep();
  }
}

export interface CarriedLogin {
  /** Takes back into the state folder what the CLI put in the place of a file. Never throws. */
  keep(): Promise<void>;
}

/**
 * Puts a carried login in place, below the home.
 *
 * @throws Error where the value is no object of texts, or a path leaves the home.
 */
export async function placeLogin(packed: string, place: LoginPlace): Promise<CarriedLogin> {
  const files = unpack(packed);
  // One folder an agent, told by the names of its files; in it one a login, of which a new one replaces the last.
  const kept = join(place.stateFolder, FOLDER, digestOf(Object.keys(files).sort().join("\n")), digestOf(packed));
  const first = (await readTextIfPresent(join(kept, "placed"))) === undefined;
  if (first) await rm(dirname(kept), { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    const [real, shown] = [join(kept, "home", path), join(place.home, path)];
    await mkdir(dirname(real), { recursive: true, mode: 0o700 });
    await mkdir(dirname(shown), { recursive: true, mode: 0o700 });
    if (first) await writeFileAtomic(real, text, { mode: 0o600 });
    await rm(shown, { force: true });
    await symlink(real, shown);
  }
  if (first) await writeFileAtomic(join(kept, "placed"), "yes\n", { mode: 0o600 });
  return {
    keep: async () => {
      for (const path of Object.keys(files))
        await takeBack(join(kept, "home", path), join(place.home, path)).catch(() => undefined);
    },
  };
}

/** A CLI may write its file anew instead of through the link. */
async function takeBack(real: string, shown: string): Promise<void> {
  const found = await lstat(shown);
  if (!found.isFile() || found.size > MOST_BYTES) return;
  await writeFileAtomic(real, await readFile(shown), { mode: 0o600 });
  await rm(shown, { force: true });
  await symlink(real, shown);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function unpack(packed: string): Readonly<Record<string, string>> {
  const value: unknown = JSON.parse(packed);
  if (typeof value !== "object" || value === null) throw new Error(`${CARRIED_LOGIN}: not a JSON object of texts`);
  for (const [path, text] of Object.entries(value))
    if (typeof text !== "string" || isAbsolute(path) || normalize(path) !== path || path.startsWith(".."))
      throw new Error(`${CARRIED_LOGIN}: not a JSON object of texts below the home`);
  return value as Readonly<Record<string, string>>;
}
