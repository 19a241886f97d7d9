import { rename } from "node:fs/promises";
import { join } from "node:path";
import { sentenceOf, UsageError, writeFileAtomic } from "@nest/kit";
import { whyNoBoot } from "./check-boot.ts";
import { GOOD_OVERLAY, OVERLAY, readConfigText, rejectedName, treeOf } from "./config-files.ts";
import { isTree, type Tree, valueAt } from "./leaves.ts";
import { mergeOverlay } from "./overlay.ts";
import { type OverlayRecord, readRecord } from "./overlay-record.ts";
import type { Rejected } from "./seed.ts";
import type { SpokeSettings } from "./settings.ts";

/** An app id that says that there is no app yet. */
const NO_APP_YET = "999999999";

/** The overlay of a boot. */
export interface GuardedOverlay {
  readonly text: string | undefined;
  readonly tree: Tree;
}

const NONE: GuardedOverlay = { text: undefined, tree: {} };

/**
 * Reads the overlay. One that cannot be read, or that belongs to another project, is rejected and the last one that a nest started
 * with is used; so is one with which no nest could start, where there is a last good one. Writes nothing.
 *
 * @throws UsageError with the overlay's faults, where no nest could start with it and there is no other.
 */
export async function guardedOverlay(settings: SpokeSettings, seed: Tree, rejected: Rejected): Promise<GuardedOverlay> {
  const { dataFolder } = settings;
  const record = await readRecord(dataFolder);
  const found = await judged(settings, OVERLAY, seed, record);
  if (found.kind === "absent") return NONE;
  if (found.kind === "usable") return found;
  const good = await judged(settings, GOOD_OVERLAY, seed, record);
  if (found.kind === "faulty" && good.kind !== "usable") {
    const [first = ""] = found.faults;
    throw new UsageError(first, { faults: found.faults, hint: `${join(dataFolder, OVERLAY)} is laid over the seed` });
  }
  const used = good.kind === "usable" ? good : NONE;
  const instead = good.kind === "usable" ? "the last good one is used" : "none is used";
  rejected.set(rejectedName(OVERLAY), `${found.because}; ${instead}`);
  return used;
}

/** Puts an overlay that was rejected aside and the one that is used in its place, so that saves go on from there. */
export async function putAside(dataFolder: string, used: GuardedOverlay): Promise<void> {
  await rename(join(dataFolder, OVERLAY), join(dataFolder, rejectedName(OVERLAY)));
  if (used.text !== undefined) await writeFileAtomic(join(dataFolder, OVERLAY), used.text);
}

/** The keys of the overlay as they are, before anything is judged; undefined where they cannot be read. */
export async function overlayIfReadable(dataFolder: string): Promise<Tree | undefined> {
  try {
    return treeOf((await readConfigText(join(dataFolder, OVERLAY))) ?? "", OVERLAY);
  } catch {
    return undefined;
  }
}

type Judged =
  | { readonly kind: "absent" }
  | { readonly kind: "usable"; readonly text: string; readonly tree: Tree }
  | { readonly kind: "unusable"; readonly because: string }
  | { readonly kind: "faulty"; readonly because: string; readonly faults: readonly string[] };

async function judged(settings: SpokeSettings, name: string, seed: Tree, record: OverlayRecord): Promise<Judged> {
  const file = join(settings.dataFolder, name);
  try {
    const text = await readConfigText(file);
    if (text === undefined) return { kind: "absent" };
    const tree = treeOf(text, file);
    const alien = whyAlien(seed, tree, record);
    if (alien !== undefined) return { kind: "unusable", because: `${file}: ${alien}` };
    const faults = whyNoBoot(mergeOverlay(seed, tree), settings);
    // A seed with which no nest could start is not the overlay's fault.
    if (faults.length > 0 && whyNoBoot(seed, settings).join() !== faults.join())
      return { kind: "faulty", because: `${file}: ${faults.join("; ")}`, faults };
    return { kind: "usable", text, tree };
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return { kind: "unusable", because: sentenceOf(thrown) };
  }
}

/**
 * Why an overlay belongs to another project; undefined where it does not. It names an organisation that the seed does not, the two
 * were never in force together, and the seed is no placeholder, which whoever claims it gives an organisation by its overlay. Pure.
 */
export function whyAlien(seed: Tree, overlay: Tree, record: OverlayRecord): string | undefined {
  const [own, other] = [valueAt(seed, ["project", "org"]), valueAt(overlay, ["project", "org"])];
  if (typeof own !== "string" || typeof other !== "string" || own === "" || other === "") return undefined;
  if (own.toLowerCase() === other.toLowerCase() || isPlaceholder(seed)) return undefined;
  if (record.projects?.seed === own && record.projects.overlay === other) return undefined;
  return `it is of the project ${other}, and this nest is of ${own}`;
}

/** A nest that waits for somebody to claim it has no token, and the number of no app. */
function isPlaceholder(seed: Tree): boolean {
  const github = valueAt(seed, ["github"]);
  if (!isTree(github) || typeof github.token === "string") return false;
  const app = `${github.app_id ?? ""}`;
  return app === NO_APP_YET || !/^\d+$/.test(app);
}
