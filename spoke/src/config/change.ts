import { NestError } from "@nest/kit";
import { isNamedEntry, isSame, isTree, keyOf, leavesOf, type Path, REMOVED, type Tree, valueAt } from "./leaves.ts";
import { MASK, maskedAt } from "./mask.ts";
import { unknownKeys } from "./nest-yaml.ts";
import type { OverlayChange } from "./overlay.ts";

/** No part of the schema is deeper; a body that is keeps whoever walks it busy. */
const DEEPEST = 12;

/** What a change is made on. */
export interface ChangedOn {
  readonly seed: Tree;
  readonly overlay: Tree;
  readonly inForce: unknown;
}

/**
 * What a part of `nest.yaml` asks to be changed: `null` takes a key back to what the seed says, `false` removes an agent, a mode or a
 * channel, a value that is in force already changes nothing, nor does `[secret]` for a secret that is there. Pure.
 *
 * @throws NestError `bad_request` naming the keys that nobody knows, or the one that cannot be taken.
 */
export function changesOf(body: Tree, on: ChangedOn): readonly OverlayChange[] {
  if (isDeeper(body, DEEPEST)) throw new NestError("bad_request", `body: more than ${DEEPEST} levels deep`);
  const unknown = unknownKeys(body).filter((path) => valueAt(body, path) !== null);
  if (unknown.length > 0)
    throw new NestError("bad_request", `${unknown.map(keyOf).join(", ")}: unknown key in the body`, {
      hint: "docs/operations.md lists the keys of nest.yaml",
    });
  return Object.entries(body).flatMap(([key, value]) => changesAt([key], value, on));
}

/** The keys whose values differ, with the values before and after as they may be shown. Pure. */
export function differenceOf(before: unknown, after: unknown) {
  const paths = new Map([...leavesOf(before), ...leavesOf(after)].map(([path]) => [keyOf(path), path]));
  const differing = [...paths].filter(([, path]) => !isSame(valueAt(before, path), valueAt(after, path)));
  const shown = (tree: unknown) =>
    Object.fromEntries(differing.map(([key, path]) => [key, maskedAt(valueAt(tree, path) ?? null, path)]));
  return { keys: differing.map(([key]) => key), before: shown(before), after: shown(after) };
}

function changesAt(path: Path, value: unknown, on: ChangedOn): readonly OverlayChange[] {
  const takenBack: readonly OverlayChange[] = valueAt(on.overlay, path) === undefined ? [] : [[path, undefined]];
  if (value === null) return takenBack;
  // What the seed does not name needs no word against it.
  if (value === REMOVED && isNamedEntry(path) && (valueAt(on.seed, path) ?? null) === null) return takenBack;
  const now = valueAt(on.inForce, path);
  if (isTree(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return isTree(now) ? [] : [[path, {}]];
    return entries.flatMap(([key, inner]) => changesAt([...path, key], inner, on));
  }
  if (isSame(value, now) || (now !== undefined && isSame(value, maskedAt(now, path)))) return [];
  if (JSON.stringify(value).includes(JSON.stringify(MASK)))
    throw new NestError("bad_request", `${keyOf(path)}: ${MASK} stands for a secret that is kept, and here is none`, {
      hint: "send the secret itself, or the name of a variable that holds it",
    });
  return [[path, value]];
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
