import { type Environment, variable } from "@nest/kit";
import type { nestConfig } from "@nest/protocol";
import { GOVERNOR_DEFAULTS } from "./governor-defaults.ts";
import { isSame, isTree, keyOf, leavesOf, type Path, type Tree, valueAt } from "./leaves.ts";
import { masked, maskedAt } from "./mask.ts";
import { unknownKeys } from "./nest-yaml.ts";
import { mergeOverlay } from "./overlay.ts";
import { authorOf, type OverlayRecord } from "./overlay-record.ts";

/** What holds where neither file nor environment says anything, as far as it can be said in a word. */
export const DEFAULTS: Tree = {
  governor: GOVERNOR_DEFAULTS,
  dashboard: { port: 3002, hub_proxied: false },
  hub: { enabled: true, is_public: false, liveness: "success" },
  acmm_level: 2,
};

/** Variables that win over a key of the configuration. */
const VARIABLES: readonly (readonly [name: string, path: Path])[] = [
  ["NEST_HUB_URL", ["hub", "url"]],
  ["NEST_SPOKE_DASHBOARD_PORT", ["dashboard", "port"]],
];

/** Sections that a nest reads once, at its start. All else takes effect when it is saved. */
const READ_AT_START = ["github", "dashboard", "hub"];
/** What of these takes effect when it is saved all the same. */
const AT_ONCE = ["dashboard.authorized_users"];

/** Everything that says something about a nest's configuration. */
export interface Layers {
  readonly seed: Tree;
  readonly seedFile: string;
  readonly overlay: Tree;
  readonly overlayFile: string;
  readonly environment: Environment;
  readonly record: OverlayRecord;
  /** Seed and overlay as they were when the nest started. */
  readonly running: Tree;
}

/** Seed, overlay and defaults as one, without secrets. Pure. */
export function shownConfig({ seed, overlay }: Pick<Layers, "seed" | "overlay">): Record<string, unknown> {
  const shown = masked(overDefaults(mergeOverlay(seed, overlay)));
  return isTree(shown) ? { ...shown } : {};
}

/** Every value in force with the layer that gave it, who saved it, and the layers that say something else and lose. Pure. */
export function provenanceRows(layers: Layers): nestConfig.ProvenanceRow[] {
  const { seed, overlay, environment } = layers;
  const merged = overDefaults(mergeOverlay(seed, overlay));
  const isUnknown = knower(merged);
  const inEnvironment = overriding(environment);
  const paths = new Map(leavesOf(merged).map(([path]) => [keyOf(path), path]));
  for (const { path } of inEnvironment) paths.set(keyOf(path), path);
  const needed = new Set(restartNeeded(layers));
  return [...paths.values()].map((path) => {
    const row = rowOf(path, layers, inEnvironment);
    const running = needed.has(row.key) ? { running: maskedAt(valueAt(layers.running, path) ?? null, path) } : {};
    return { ...row, ...running, ...(isUnknown(path) ? { unknown: true as const } : {}) };
  });
}

/** Keys that were saved and take effect at the next start only. A variable that wins over a key makes it none of them. Pure. */
export function restartNeeded({ seed, overlay, running, environment }: Layers): string[] {
  const saved = mergeOverlay(seed, overlay);
  const paths = new Map([...leavesOf(saved), ...leavesOf(running)].map(([path]) => [keyOf(path), path]));
  for (const { path } of overriding(environment)) paths.delete(keyOf(path));
  for (const key of AT_ONCE) paths.delete(key);
  return [...paths]
    .filter(
      ([, path]) => READ_AT_START.includes(path[0] ?? "") && !isSame(valueAt(saved, path), valueAt(running, path)),
    )
    .map(([key]) => key)
    .sort();
}

interface Overriding {
  readonly name: string;
  readonly path: Path;
  readonly value: unknown;
}

function overriding(environment: Environment): readonly Overriding[] {
  return VARIABLES.flatMap(([name, path]) => {
    const value = variable(environment, name);
    if (value === undefined) return [];
    const used = environment[name] === value ? name : name.replace(/^NEST_/, "HIVE_");
    return [{ name: used, path, value: /^\d+$/.test(value) ? Number(value) : value }];
  });
}

function rowOf(path: Path, layers: Layers, inEnvironment: readonly Overriding[]): nestConfig.ProvenanceRow {
  const { seed, overlay, record } = layers;
  const key = keyOf(path);
  const variableHere = inEnvironment.find((one) => keyOf(one.path) === key);
  const saved = valueAt(overlay, path);
  const author = authorOf(record, path, saved);
  const said = [
    { layer: "environment" as const, value: variableHere?.value, source: variableHere?.name },
    { layer: "dashboard" as const, value: saved, source: layers.overlayFile, ...author },
    { layer: "seed" as const, value: valueAt(seed, path), source: layers.seedFile },
    { layer: "default" as const, value: valueAt(DEFAULTS, path), source: undefined },
  ].filter(({ value }) => !saysNothing(value, path));
  const [first, ...weaker] = said;
  const { layer = "default", value = null, source, ...who } = first ?? {};
  const hidden = weaker.filter((one) => !isSame(one.value, value));
  return {
    key,
    value: maskedAt(value, path),
    layer,
    ...(source === undefined ? {} : { source }),
    ...who,
    hidden: hidden.map((one) => ({ layer: one.layer, value: maskedAt(one.value, path) })),
  };
}

/** A configuration laid over the defaults. Pure. */
function overDefaults(saved: unknown): unknown {
  const leaves = leavesOf(saved).filter(([path, value]) => saysNothing(value, path));
  return leaves.reduce(
    (merged, [path]) => mergeOverlay(merged, treeAt(path, valueAt(DEFAULTS, path))),
    mergeOverlay(DEFAULTS, saved),
  );
}

/** Whether a layer leaves a key to the layers below; so does a list without entries that has a default. */
function saysNothing(value: unknown, path: Path): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) && value.length === 0 && valueAt(DEFAULTS, path) !== undefined;
}

function treeAt(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function knower(merged: unknown): (path: Path) => boolean {
  const unknown = unknownKeys(merged).map(keyOf);
  return (path) => unknown.some((key) => keyOf(path) === key || keyOf(path).startsWith(`${key}.`));
}
