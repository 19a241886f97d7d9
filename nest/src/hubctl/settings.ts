import { parseYaml, plainLine, UsageError } from "@nest/kit";
import { governor } from "@nest/protocol";
import { stringify } from "yaml";
import { oneWord, show } from "./shown.ts";
import { USAGE } from "./usage.ts";
import type { ExitCode, Verb, VerbCall } from "./verb.ts";

type Settings = governor.GovernorSettings;
type Change = governor.GovernorChange;

const get: Verb = async (call) => {
  const { value } = await call.hub.call(governor.governor);
  const [key, more] = call.words;
  if (more !== undefined) throw new UsageError(`unknown argument ${more}`, { usage: USAGE });
  const { contribute_allow_labels: _legacy, ...settings } = value;
  if (key !== undefined && !Object.hasOwn(settings, key)) throw unknownKey(key);
  const shown = key === undefined ? settings : settings[key as keyof typeof settings];
  show(call, shown, () => stringify(shown));
  return 0;
};

const set: Verb = async (call) => {
  const [key, text, more] = call.words;
  if (key === undefined || text === undefined || more !== undefined)
    throw new UsageError("settings set takes a key and a value (YAML or JSON)", { usage: USAGE });
  return save(call, changeOf({ [key]: parseYaml(text, "the value") }, "the command line"), "set");
};

const diff: Verb = async (call) => save(call, await changeIn(call), "diff");
const apply: Verb = async (call) => save(call, await changeIn(call), "apply");

async function changeIn(call: VerbCall): Promise<Change> {
  const path = oneWord(call, "file");
  return changeOf(parseYaml(await call.readFile(path), path), path);
}

/** @throws UsageError naming each key that the hub does not know or that has a value which it does not take. */
function changeOf(value: unknown, from: string): Change {
  const checked = governor.GovernorChange.safeParse(value);
  if (checked.success) return checked.data;
  const faults = checked.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => `${from}: ${key}: unknown key`)
      : [`${from}: ${issue.path.map(String).join(".") || "settings"}: ${issue.message}`],
  );
  throw new UsageError(faults[0] ?? `${from}: not settings`, { faults });
}

/** Says what would change and what that does to the queue; for `diff` that is all. What is in force meanwhile decides. */
async function save(call: VerbCall, wanted: Change, verb: "set" | "diff" | "apply"): Promise<ExitCode> {
  const { value: before, etag } = await call.hub.call(governor.governor);
  const change = differenceOf(before, wanted);
  const keys = Object.keys(change) as (keyof Change)[];
  if (keys.length === 0) {
    show(call, { changes: {} }, () => "nothing would change\n");
    return 0;
  }
  const effect = (await call.hub.call(governor.previewImpact, { body: change })).value;
  const changes = Object.fromEntries(
    keys.map((key) => [key, { before: before[key], after: afterOf(before, change, key) }]),
  );
  const isDone = verb !== "diff" && effect.faults.length === 0;
  if (isDone)
    await call.hub.call(governor.changeGovernor, { body: change, ...(etag === undefined ? {} : { ifMatch: etag }) });
  show(call, { changes, effect, ...(isDone ? { status: "updated" } : {}) }, () => linesOf(changes, effect, isDone));
  if (verb !== "diff" && !isDone)
    throw new UsageError("nothing was saved: a pattern is not valid", {
      faults: effect.faults.map(({ key, pattern, because }) => `${key}: ${plainLine(pattern)}: ${because}`),
    });
  return isDone ? 0 : 3;
}

/** The keys of a wanted change that are not in force already. */
function differenceOf(before: Settings, wanted: Change): Change {
  const keys = (Object.keys(wanted) as (keyof Change)[]).filter(
    (key) => JSON.stringify(afterOf(before, wanted, key)) !== JSON.stringify(before[key]),
  );
  return Object.fromEntries(keys.map((key) => [key, wanted[key]])) as Change;
}

/** A key's value after a change: limits of tiers are merged, everything else is replaced. */
function afterOf(before: Settings, change: Change, key: keyof Change): unknown {
  if (key !== "tier_limits") return change[key];
  const limits = change.tier_limits ?? {};
  return Object.fromEntries(
    Object.entries(before.tier_limits).map(([tier, one]) => [tier, { ...one, ...limits[tier as keyof typeof limits] }]),
  );
}

function linesOf(
  changes: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>,
  { offered, faults }: governor.ImpactReply,
  isDone: boolean,
): string {
  const lines = Object.entries(changes).flatMap(([key, { before, after }]) => [
    `- ${key}: ${plainLine(JSON.stringify(before))}`,
    `+ ${key}: ${plainLine(JSON.stringify(after))}`,
  ]);
  const effect =
    offered === undefined
      ? []
      : [`on offer: ${offered.before} -> ${offered.after} (${offered.leaving} leave, ${offered.joining} come)`];
  const wrong = faults.map(({ key, pattern, because }) => `${key}: ${plainLine(pattern)}: ${because}`);
  return `${[...lines, ...effect, ...wrong, ...(isDone ? ["saved"] : [])].join("\n")}\n`;
}

function unknownKey(key: string): UsageError {
  return new UsageError(`unknown key ${key}`, { hint: "nest hubctl settings get prints them all" });
}

export const settingsVerbs: Readonly<Record<string, Verb>> = { get, set, diff, apply };
