import { constants } from "node:fs";
import { access, copyFile, mkdir, open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAbsent, MOST_YAML_BYTES, parseYaml, UsageError, writeFileAtomic } from "@nest/kit";
import { isTree, type Tree } from "./leaves.ts";

/** The files of a nest's configuration in its data folder (spec: Spoke durable state), and what is kept beside them. */
export const OVERLAY = "nest.yaml.dashboard";
/** The last overlay that a nest started with. */
export const GOOD_OVERLAY = "nest.yaml.dashboard.good";
/** Who saved what and when. */
export const OVERLAY_RECORD = "nest.yaml.dashboard.meta.json";
export const RUNTIME = "nest.yaml.runtime";
export const LEGACY_RUNTIME = "nest.yaml.bak";
/** The configuration file as people wrote it: without what the dashboard saved. */
export const PLAIN_SEED = "nest.yaml.seed";
/** A configuration file that people edited where the runtime wins. */
export const REPLACED = "nest.yaml.replaced";

/** Where something that was not used is kept, to be looked at. */
export function rejectedName(name: string): string {
  return `${name}.rejected`;
}

/**
 * The text of a configuration file; undefined when there is none. Never waits for the other end of a pipe.
 *
 * @throws UsageError naming the file when it cannot be read or is too large.
 */
export async function readConfigText(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new UsageError(`${path}: is no file`);
      if (stats.size > MOST_YAML_BYTES)
        throw new UsageError(`${path}: too large for a configuration: the limit is ${MOST_YAML_BYTES} bytes`);
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    if (thrown instanceof UsageError) throw thrown;
    throw new UsageError(`${path}: cannot be read (${(thrown as NodeJS.ErrnoException).code})`, { cause: thrown });
  }
}

/**
 * The keys that a configuration text says.
 *
 * @throws UsageError naming the file when it is no YAML, or no map of keys.
 */
export function treeOf(text: string, name: string): Tree {
  const value = parseYaml(text, name);
  if (!isTree(value)) throw new UsageError(`${name}: must be a map of keys, such as \`acmm_level: 2\``);
  const alien = namedProto(value);
  if (alien) throw new UsageError(`${name}: __proto__ is no name for a key`);
  return value;
}

function namedProto(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namedProto);
  return isTree(value) && (Object.hasOwn(value, "__proto__") || Object.values(value).some(namedProto));
}

/**
 * Replaces the configuration file. Where it is mounted by itself it cannot be replaced by a rename, and is written in place.
 *
 * @throws the system's error, where its folder can only be read.
 */
export async function writeConfigFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const mode = await stat(path).then(
    (stats) => stats.mode & 0o777,
    () => 0o600,
  );
  try {
    await writeFileAtomic(path, text, { mode });
  } catch (thrown) {
    const { code = "" } = thrown as NodeJS.ErrnoException;
    if (!["EBUSY", "EACCES", "EPERM", "EROFS", "EXDEV"].includes(code)) throw thrown;
    const file = await open(path, "r+");
    try {
      await file.truncate(0);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/** Why a configuration file cannot be written; undefined when it can. */
export async function whyReadOnly(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK);
    return undefined;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    const what = code === "EROFS" ? "read-only file system" : `cannot be written to (${code})`;
    return `${dirname(path)}: ${what}`;
  }
}

/** Keeps a copy of a file that is about to be replaced. A copy that fails stops nothing. */
export async function keepAside(path: string, dataFolder: string, name: string): Promise<void> {
  await copyFile(path, join(dataFolder, name)).catch(() => undefined);
}
