import { join } from "node:path";
import { makePrivateFolder, writeFileAtomic } from "@nest/kit";
import { checkBoot } from "./check-boot.ts";
import {
  GOOD_OVERLAY,
  LEGACY_RUNTIME,
  OVERLAY,
  PLAIN_SEED,
  RUNTIME,
  readConfigText,
  rejectedName,
  writeConfigFile,
} from "./config-files.ts";
import { type Tree, valueAt } from "./leaves.ts";
import type { NestYaml } from "./nest-yaml.ts";
import { mergeOverlay } from "./overlay.ts";
import { type GuardedOverlay, guardedOverlay, overlayIfReadable, putAside } from "./overlay-guard.ts";
import { changeRecord } from "./overlay-record.ts";
import { runtimeText } from "./runtime-file.ts";
import { type BootDeps, copySeed, findSeed, type Rejected, type Seed } from "./seed.ts";

/** What a nest starts with. */
export interface Booted {
  readonly seed: Seed;
  readonly config: NestYaml;
  /** Seed and overlay as they are written, unknown keys too. */
  readonly tree: Tree;
}

/**
 * Brings the configuration together at a start (spec: Spoke configuration precedence): the seed is copied to its place, or the
 * runtime file restored over it; the overlay is laid over that; the result is written as runtime file and under its legacy name.
 * What cannot be used is put aside and told of, in the log and by the provenance view. Starting twice changes nothing.
 *
 * @throws UsageError with one line per fault, when no nest can start with it.
 */
export async function bootConfiguration(deps: BootDeps): Promise<Booted> {
  const { settings, log } = deps;
  const { dataFolder } = settings;
  await makePrivateFolder(dataFolder);
  const rejected: Rejected = new Map();
  await copySeed(deps);
  const seed = await findSeed(deps, await overlayIfReadable(dataFolder), rejected);
  const overlay = await guardedOverlay(settings, seed.tree, rejected);
  const tree = mergeOverlay(seed.tree, overlay.tree) as Tree;
  const config = checkBoot(tree, settings);
  for (const [file, because] of rejected)
    log.warn({ kept_as: join(dataFolder, file), because }, "configuration not used");
  if (rejected.has(rejectedName(OVERLAY))) await putAside(dataFolder, overlay);
  await changeRecord(dataFolder, (record) => ({
    ...record,
    rejected: { ...record.rejected, ...Object.fromEntries(rejected) },
  }));
  await writeIfOther(join(dataFolder, PLAIN_SEED), seed.text);
  await rememberOverlay(deps, seed, overlay);
  return { seed, config, tree };
}

/**
 * Remembers an overlay that a nest can start with, and writes the configuration in force where the next start looks for it. The
 * configuration file itself is the nest's own in a pod and on a container host, and people's elsewhere. A file that cannot be
 * written is told of in the log: the overlay has what was saved.
 */
export async function rememberOverlay(deps: BootDeps, seed: Seed, overlay: GuardedOverlay): Promise<void> {
  const { settings, log, version } = deps;
  const { dataFolder, configFile, deployment } = settings;
  const runtime = runtimeText(seed.text, overlay.tree, version);
  const [own, other] = [seed.tree, overlay.tree].map((tree) => valueAt(tree, ["project", "org"]));
  try {
    if (overlay.text !== undefined) {
      await writeIfOther(join(dataFolder, GOOD_OVERLAY), overlay.text);
      if (typeof own === "string" && typeof other === "string")
        await changeRecord(dataFolder, (record) => ({ ...record, projects: { seed: own, overlay: other } }));
    }
    for (const name of [RUNTIME, LEGACY_RUNTIME]) await writeIfOther(join(dataFolder, name), runtime);
    if (deployment !== "machine" && (await readConfigText(configFile)) !== runtime)
      await writeConfigFile(configFile, runtime);
  } catch (thrown) {
    log.warn({ err: thrown }, "the runtime configuration cannot be written");
  }
}

async function writeIfOther(path: string, text: string): Promise<void> {
  const before = await readConfigText(path).catch(() => undefined);
  if (before !== text) await writeFileAtomic(path, text);
}
