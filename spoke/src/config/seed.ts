import { join } from "node:path";
import { type Log, UsageError } from "@nest/kit";
import { whyNoBoot } from "./check-boot.ts";
import {
  keepAside,
  LEGACY_RUNTIME,
  PLAIN_SEED,
  REPLACED,
  RUNTIME,
  readConfigText,
  rejectedName,
  treeOf,
  writeConfigFile,
} from "./config-files.ts";
import type { Tree } from "./leaves.ts";
import { mergeOverlay } from "./overlay.ts";
import { digestOf, markOf } from "./runtime-file.ts";
import type { SpokeSettings } from "./settings.ts";

export interface BootDeps {
  readonly settings: SpokeSettings;
  readonly log: Log;
  readonly version: string;
}

/** The configuration below the overlay. */
export interface Seed {
  /** As people wrote it, without what the dashboard saved. */
  readonly text: string;
  readonly tree: Tree;
}

/** Files that were not used, by the name under which they are kept, with the reason. */
export type Rejected = Map<string, string>;

/** Copies the mounted seed to the configuration's place where there is none yet (spec: Spoke configuration precedence, 1). */
export async function copySeed({ settings, log }: BootDeps): Promise<void> {
  const { configFile, seedFile } = settings;
  if ((await readConfigText(configFile)) !== undefined) return;
  const text = await readConfigText(seedFile);
  if (text === undefined) return;
  try {
    await writeConfigFile(configFile, text);
  } catch (thrown) {
    throw new UsageError(`NEST_CONFIG: ${configFile} cannot be written (${(thrown as NodeJS.ErrnoException).code})`, {
      hint: `the seed ${seedFile} is copied there; mount a folder that can be written to`,
      cause: thrown,
    });
  }
  log.info({ from: seedFile, to: configFile }, "configuration seeded");
}

/**
 * Finds the seed of this boot. In a pod it is the configuration file. On a container host the runtime file is the source of truth
 * and restored over it at every boot. Elsewhere the runtime file is restored where it came from another place, as out of a backup;
 * one that was made of the configuration file here says nothing new. A runtime file that no nest could start with is not used.
 *
 * @throws UsageError when there is no configuration file.
 */
export async function findSeed(deps: BootDeps, overlay: Tree | undefined, rejected: Rejected): Promise<Seed> {
  const { settings, log } = deps;
  const { configFile, dataFolder } = settings;
  const plain = await readConfigText(join(dataFolder, PLAIN_SEED));
  const written = await configText(configFile);
  for (const name of await restorable(settings, plain)) {
    const file = join(dataFolder, name);
    const text = (await readConfigText(file).catch(() => undefined)) ?? "";
    const fault = faultOf(text, file, settings, overlay);
    if (fault !== undefined) {
      rejected.set(rejectedName(name), fault);
      await keepAside(file, dataFolder, rejectedName(name));
      continue;
    }
    if (written !== text) {
      await restore(deps, { text, written, plain, name }, rejected);
      log.info({ from: file, to: configFile }, "runtime configuration restored");
    }
    return seedOf(text, plain, configFile);
  }
  if (written === undefined) throw new UsageError(`NEST_CONFIG: ${configFile}: there is no such file`);
  return seedOf(written, plain, configFile);
}

async function configText(file: string): Promise<string | undefined> {
  return readConfigText(file).catch((thrown) => {
    throw new UsageError(`NEST_CONFIG: ${(thrown as Error).message}`, { cause: thrown });
  });
}

/** The runtime files that this boot restores, in the order in which they are tried. */
async function restorable(settings: SpokeSettings, plain: string | undefined): Promise<readonly string[]> {
  if (settings.deployment === "pod") return [];
  const runtime = await readConfigText(join(settings.dataFolder, RUNTIME)).catch(() => "");
  if (runtime === undefined) {
    const legacy = await readConfigText(join(settings.dataFolder, LEGACY_RUNTIME)).catch(() => undefined);
    return legacy === undefined || markOf(legacy) !== undefined ? [] : [LEGACY_RUNTIME];
  }
  if (settings.deployment === "container") return [RUNTIME, LEGACY_RUNTIME];
  const isFromHere = plain !== undefined && markOf(runtime)?.seed === digestOf(plain);
  return isFromHere ? [] : [RUNTIME];
}

function faultOf(text: string, file: string, settings: SpokeSettings, overlay: Tree | undefined): string | undefined {
  try {
    const tree = treeOf(text, file);
    const [fault] = whyNoBoot(tree, settings);
    if (fault === undefined || overlay === undefined) return fault;
    return whyNoBoot(mergeOverlay(tree, overlay), settings)[0];
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return thrown.message;
  }
}

interface Restored {
  readonly text: string;
  readonly written: string | undefined;
  readonly plain: string | undefined;
  readonly name: string;
}

async function restore({ settings, log }: BootDeps, restored: Restored, rejected: Rejected): Promise<void> {
  const { configFile, dataFolder } = settings;
  const { text, written, plain, name } = restored;
  if (written !== undefined && written !== plain && markOf(written) === undefined) {
    rejected.set(
      REPLACED,
      `${configFile} says something else than ${join(dataFolder, name)}, which wins at each start; change it in the settings, ` +
        `or remove ${name} and ${LEGACY_RUNTIME} to begin from the file again`,
    );
    await keepAside(configFile, dataFolder, REPLACED);
  }
  await writeConfigFile(configFile, text).catch((thrown: unknown) =>
    log.warn({ file: configFile, err: thrown }, "the configuration file cannot be written"),
  );
}

/** What people wrote, out of a file into which a nest may have merged its overlay. */
function seedOf(text: string, plain: string | undefined, name: string): Seed {
  const mark = markOf(text);
  const own = mark !== undefined && plain !== undefined && mark.seed === digestOf(plain) ? plain : text;
  return { text: own, tree: treeOf(own, name) };
}
