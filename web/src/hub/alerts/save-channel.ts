import { alerts } from "@nest/protocol";
import { CallError, call } from "../../shared/call/call.ts";
import { type ChannelDraft, configOf } from "./channel-draft.ts";
import { type ChannelFaults, faultOfRefusal } from "./channel-faults.ts";

/** What became of a save. */
export type Saved =
  | { readonly kind: "saved"; readonly place: string }
  /** Somebody else saved the channel since it was read. */
  | { readonly kind: "outdated" }
  | { readonly kind: "refused"; readonly faults: ChannelFaults };

/** Saves a channel, only while it is in the state on which the draft was begun; undefined: while there is none. @throws CallError for the rest. */
export async function saveChannel(draft: ChannelDraft, revision: string | undefined): Promise<Saved> {
  const { name } = draft;
  try {
    const query = { revision: revision ?? "new" };
    const { value } = await call(alerts.saveChannel, { params: { name }, query, body: configOf(draft) });
    return { kind: "saved", place: value.place };
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown;
    if (thrown.code === "alert_channel_changed") return { kind: "outdated" };
    const faults = faultOfRefusal(thrown.message, draft);
    if (faults === undefined) throw thrown;
    return { kind: "refused", faults };
  }
}

/** Saves a channel's secret for a place, or says why the hub did not take it. */
export async function refusalOfSecret(name: string, secret: string, place: string): Promise<string | undefined> {
  try {
    await call(alerts.setSecret, { params: { name }, body: { secret, place } });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown;
    return thrown.message.replace(/^secret: /, "it ");
  }
}
