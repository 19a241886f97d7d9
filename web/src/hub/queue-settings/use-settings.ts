import { governor } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { type DraftSource, useDraft } from "../../shared/drafts/use-draft.ts";
import { faultOfAnswer, faultsOf, type Settings } from "./faults.ts";

const source: DraftSource<Settings> = {
  queryKey: ["governor"],
  read: (signal) => call(governor.governor, { signal }),
  write: (body, ifMatch) => call(governor.changeGovernor, { body, ifMatch }),
  changedCode: "configuration_changed",
  faultsOf,
  faultOfAnswer,
};

/** The queue configuration in force and a draft of another one. */
export function useSettingsDraft() {
  return useDraft(source);
}

export type SettingsDraft = ReturnType<typeof useSettingsDraft>;
