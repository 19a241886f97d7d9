import { nestConfig } from "@nest/protocol";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import type { DraftSource } from "../../shared/drafts/use-draft.ts";
import { agentFields, type Field, fixedSections, modeFields } from "./fields.ts";
import { changeFor, namesIn, SECRET, type Values, valuesIn } from "./values.ts";

type ConfigView = nestConfig.ConfigView;
export type Provenance = z.infer<typeof nestConfig.provenance.reply>;

const VIEW = ["config-view"];
const PEOPLE = "dashboard.authorized_users";

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
  return [
    ...Object.values(fixedSections).flatMap(({ fields }) => fields),
    ...agents.flatMap(agentFields),
    ...namesIn(config, "governor.modes").flatMap((mode) => modeFields(mode, agents)),
  ];
}

/** The configuration as a draft reads and saves it. */
export const configSource: DraftSource<Values> = {
  queryKey: ["config"],
  read: async (signal) => answerOf((await call(nestConfig.readConfig, { signal })).value),
  write: async (change, revision) => {
    const { [PEOPLE]: people, ...rest } = change;
    const query = revision === undefined ? {} : { revision };
    if (Object.keys(rest).length > 0) await call(nestConfig.saveConfig, { query, body: changeFor(rest) });
    if (people !== undefined)
      await call(nestConfig.setAuthorizedUsers, { body: { users: [...(people as readonly string[])] } });
    const { etag } = answerOf((await call(nestConfig.readConfig)).value);
    void queries.invalidateQueries({ queryKey: ["provenance"] });
    return { etag };
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
    const key = Object.keys(values).find((one) => message.startsWith(`${one}:`) || message.startsWith(`${one} `));
    return key === undefined ? undefined : { [key]: message.slice(key.length).replace(/^:?\s*/, "") };
  },
};

function answerOf(view: ConfigView) {
  queries.setQueryData(VIEW, view);
  return { value: valuesIn(view.config, fieldsOf(view.config)), etag: view.revision };
}
