import { nestConfig } from "@nest/protocol";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import type { DraftSource } from "../../shared/drafts/use-draft.ts";
import { channelFields, kindOf } from "./channel-fields.ts";
import { agentFields, type Field, fixedSections, modeFields } from "./fields.ts";
import { changeFor, namesIn, SECRET, type Values, valuesIn } from "./values.ts";

type ConfigView = nestConfig.ConfigView;
export type Provenance = z.infer<typeof nestConfig.provenance.reply>;

const VIEW = ["config-view"];

/** The configuration as it was last read or saved. */
export function useConfigView(): ConfigView | undefined {
  const { data } = useQuery<ConfigView>({ queryKey: VIEW, enabled: false });
  return data;
}

/** Where each value comes from. A nest that does not say is edited all the same. */
export function useProvenance(): UseQueryResult<Provenance> {
  return useQuery({
    queryKey: ["provenance"],
    queryFn: async ({ signal }) => (await call(nestConfig.provenance, { signal })).value,
  });
}

/** All fields of a nest: the fixed ones and those of its agents and modes. */
export function fieldsOf(config: Readonly<Record<string, unknown>>): Field[] {
  const agents = namesIn(config, "agents");
  const channels = namesIn(config, "notifications.channels");
  return [
    ...Object.values(fixedSections).flatMap(({ fields }) => fields),
    ...agents.flatMap(agentFields),
    ...namesIn(config, "governor.modes").flatMap((mode) => modeFields(mode, agents)),
    ...channels.flatMap((name) => fieldsOfChannel(config, name)),
  ];
}

/** The fields of a channel; none where its kind is one that this release does not know. */
export function fieldsOfChannel(config: Readonly<Record<string, unknown>>, name: string): Field[] {
  const kind = kindOf(config, name);
  return kind === undefined ? [] : channelFields(name, kind);
}

/** The configuration as a draft reads and saves it. */
export const configSource: DraftSource<Values> = {
  queryKey: ["config"],
  read: async (signal) => answerOf((await call(nestConfig.readConfig, { signal })).value),
  write: async (change, revision) => {
    const query = revision === undefined ? {} : { revision };
    const { value } = await call(nestConfig.saveConfig, { query, body: changeFor(change) });
    readAnew("provenance", "notifications");
    const { etag, value: inForce } = answerOf(value);
    return { etag, inForce };
  },
  saved: "Saved. What needs a restart to be in force is said above.",
  changedCode: "nest_configuration_changed",
  faultsOf: ({ base, values }) =>
    Object.fromEntries(
      Object.keys(values)
        .filter((key) => base[key] === SECRET && values[key] !== SECRET && String(values[key]).includes(SECRET))
        .map((key) => [key, "Write the whole secret anew."]),
    ),
  faultOfAnswer: (message, values) => {
    // An entry of a list is named by its place: `dashboard.authorized_users.1: …`.
    const key = Object.keys(values).find(
      (one) => message.startsWith(one) && /^(?:\.\d+)?[: ]/.test(message.slice(one.length)),
    );
    return key === undefined ? undefined : { [key]: message.slice(key.length).replace(/^(?:\.\d+)?:?\s*/, "") };
  },
};

/**
 * Adds, removes or brings back an entry at once, beside the draft.
 *
 * @throws CallError; where somebody else saved meanwhile, what they saved is read first.
 */
export async function saveEntry(change: Readonly<Record<string, unknown>>, revision: string): Promise<void> {
  try {
    await call(nestConfig.saveConfig, { query: { revision }, body: { ...change } });
  } finally {
    readAnew("provenance", "notifications");
    await queries.invalidateQueries({ queryKey: ["config"] });
  }
}

function readAnew(...keys: readonly string[]): void {
  for (const key of keys) void queries.invalidateQueries({ queryKey: [key] });
}

function answerOf(view: ConfigView) {
  queries.setQueryData(VIEW, view);
  return { value: valuesIn(view.config, fieldsOf(view.config)), etag: view.revision };
}
