import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Member, type NameSet, ReadBuffer, singleMember, treeMembers } from "@nest/archive";
import { isAbsent, NestError } from "@nest/kit";

/** Files at the root of the data directory that are stored under `hub/`; the registry is required. */
const ROOT_FILES = ["hub-registry.json", "clusters.json"];
const TREES = ["saas", "contribute"];

export interface HubFilesOptions {
  readonly dataDir: string;
  readonly names: NameSet;
  skipped(path: string, reason: string): void;
}

/**
 * The hub's files. `nous/`, `home/`, `beads/` and `logs/` are left out; the database is stored as rows. All members share one
 * buffer: use each up before asking for the next.
 */
export function* hubFileMembers(from: HubFilesOptions): Generator<Member> {
  const options = { ...from, buffer: new ReadBuffer() };
  for (const name of ROOT_FILES) {
    if (isThere(join(options.dataDir, name))) yield* singleMember(join(options.dataDir, name), `hub/${name}`, options);
  }
  for (const name of TREES) {
    const root = join(options.dataDir, name);
    if (isThere(root)) yield* treeMembers({ ...options, root, prefix: `hub/${name}` });
  }
}

/**
 * Refuses a data directory whose `saas/` is missing, empty or a link: daily empty archives would soon displace every good
 * one.
 *
 * @throws NestError `hub_data_missing`
 */
export function checkSaas(dataDir: string): void {
  const folder = join(dataDir, "saas");
  const refuse = (what: string) =>
    new NestError("hub_data_missing", `${folder} ${what}`, {
      hint: "is NEST_BACKUP_DATA_DIR the hub's data directory?",
    });
  const stats = lstatOf(folder);
  if (stats === undefined) throw refuse("does not exist");
  if (stats.isSymbolicLink()) throw refuse("is a link");
  if (!stats.isDirectory()) throw refuse("is no folder");
  if (!hasFile(folder)) throw refuse("holds no file");
}

/** Counts the files that a run will store, without opening them. */
export function countFiles(dataDir: string): number {
  const trees = TREES.map((name) => join(dataDir, name)).filter(isThere);
  const inTrees = trees.reduce((sum, root) => sum + filesIn(root), 0);
  return inTrees + ROOT_FILES.filter((name) => isThere(join(dataDir, name))).length;
}

function filesIn(folder: string): number {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile()).length;
  } catch {
    return 0;
  }
}

function hasFile(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).some(
    (entry) => entry.isFile() || (entry.isDirectory() && hasFile(join(folder, entry.name))),
  );
}

function isThere(path: string): boolean {
  return lstatOf(path) !== undefined;
}

function lstatOf(path: string) {
  try {
    return lstatSync(path);
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}
