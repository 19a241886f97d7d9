import { alerts, ChannelName } from "@nest/protocol";
import { capitalised } from "../../shared/format/format.ts";
import { type ChannelDraft, configOf } from "./channel-draft.ts";

type Field = keyof ChannelDraft;
/** What is wrong with a draft, by field, in sentences. */
export type ChannelFaults = Readonly<Partial<Record<Field, string>>>;

/** Finds what the hub would refuse, with the schemas by which it judges. Pure. */
export function faultsOf(draft: ChannelDraft): ChannelFaults {
  const faults: Partial<Record<Field, string>> = {};
  const put = (field: string | undefined, words: string) => {
    if (field === undefined || !isField(field, draft)) return;
    const isEmpty = draft[field].length === 0;
    faults[field] ??= isEmpty ? "This is needed." : `${capitalised(words)}.`;
  };
  const name = ChannelName.safeParse(draft.name);
  if (!name.success) put("name", name.error.issues[0]?.message ?? "this is no name");
  const config = alerts.AlertChannelConfig.safeParse(configOf(draft));
  for (const { path, message } of config.error?.issues ?? []) put(path[0]?.toString(), message);
  return faults;
}

/** Assigns the hub's refusal to the field that its sentence begins with; undefined if it names none. Pure. */
export function faultOfRefusal(sentence: string, draft: ChannelDraft): ChannelFaults | undefined {
  const [, field, words] = /^(\w+)(?:\.\w+)*: (.+)$/.exec(sentence) ?? [];
  if (field === undefined || words === undefined || !isField(field, draft)) return undefined;
  return { [field]: `${capitalised(words)}.` };
}

function isField(name: string, draft: ChannelDraft): name is Field {
  return Object.hasOwn(draft, name);
}
