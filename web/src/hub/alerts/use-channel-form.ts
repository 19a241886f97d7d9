import { alerts } from "@nest/protocol";
import { useEffect, useRef, useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { showToast } from "../../shared/toast/toast.tsx";
import { type ChannelDraft, draftOf, leadsElsewhere, merged } from "./channel-draft.ts";
import { type ChannelFaults, faultsOf } from "./channel-faults.ts";
import { type ChannelNews, lastSavedBy } from "./channel-news.tsx";
import { refusalOfSecret, saveChannel } from "./save-channel.ts";

/** What the fields are called. */
export const fieldNames: Readonly<Record<keyof ChannelDraft, string>> = {
  name: "Name",
  kind: "Kind",
  url: "Address",
  host: "Mail server",
  port: "Port",
  tls: "TLS",
  user: "User",
  from: "From",
  to: "To",
  events: "Told of",
  quiet_hours: "Quiet hours",
  timezone: "Time zone of the quiet hours",
  digest_minutes: "Minutes of a digest",
  secret: "Variable of the secret",
};

/**
 * The state of a channel's form. What is typed is checked by the schema of the hub, and shown at its field once somebody typed there or
 * tried to save. A save that came second is refused: what the other one saved is taken into the form beside what was typed.
 */
export function useChannelForm(channel: alerts.AlertChannel | undefined) {
  const [begun, setBegun] = useState(channel);
  const [draft, setDraft] = useState(() => draftOf(channel));
  const [typed, setTyped] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<ChannelFaults>({});
  const [tries, setTries] = useState(0);
  const [newSecret, setNewSecret] = useState("");
  const [refusedSecret, setRefusedSecret] = useState<string>();
  const [news, setNews] = useState<ChannelNews>();
  const ref = useRef<HTMLDivElement>(null);
  const { name } = draft;
  const asksFor = secretAsked(draft, begun) ?? (refusedSecret === undefined ? undefined : "saved");
  const found = faultsOf(draft);
  const shown = Object.entries(found).filter(([field]) => tries > 0 || typed.has(field));
  const faults: ChannelFaults = { ...refused, ...Object.fromEntries(shown) };
  // Without one, no webhook is signed and Slack has no address; a topic and a mail server may need none.
  const isSecretNeeded = asksFor === "saved" && (draft.kind === "webhook" || draft.kind === "slack");
  const isSecretMissing = isSecretNeeded && newSecret.trim() === "";

  // Each try that finds a fault leads to the first one, once it is shown.
  useEffect(() => {
    if (tries > 0) ref.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [tries]);

  const put = (part: Partial<ChannelDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
    setTyped((before) => new Set([...before, ...Object.keys(part)]));
    setRefused({});
  };

  const again = () => setTries((before) => before + 1);

  const check = () => {
    const isGood = Object.keys(found).length === 0 && !isSecretMissing;
    if (!isGood) again();
    return isGood;
  };

  /** Takes what somebody else saved into the form, where nothing was typed. */
  const learn = async () => {
    const [all, by] = await Promise.all([readChannels(), lastSavedBy(name)]);
    const now = all.find((one) => one.name === name);
    const base = begun === undefined ? { ...draftOf(undefined), name } : draftOf(begun);
    const { draft: next, both } =
      now === undefined ? { draft, both: [] } : merged(draft, { base, theirs: draftOf(now) });
    setDraft(next);
    setBegun(now);
    const others = both.map((field) => fieldNames[field]);
    setNews({ name, by, before: begun?.config, after: now?.config, names: fieldNames, both: others });
  };

  /** False where the form has to stay open: it says why. */
  const submit = async (): Promise<boolean> => {
    setRefusedSecret(undefined);
    const saved = await saveChannel(draft, begun?.revision);
    if (saved.kind === "outdated") {
      await learn();
      return false;
    }
    if (saved.kind === "refused") {
      setRefused(saved.faults);
      again();
      return false;
    }
    const gives = asksFor !== undefined && newSecret.trim() !== "";
    const refusal = gives ? await refusalOfSecret(name, newSecret, saved.place) : undefined;
    const now = (await readChannels()).find((one) => one.name === name);
    if (refusal !== undefined) {
      // The channel is saved by now: the next try goes on from that.
      setBegun(now);
      setRefusedSecret(`The channel is saved, its secret is not: ${refusal}.`);
      again();
      return false;
    }
    showToast(begun === undefined && !gives ? `${name} is added. Save its secret, then test it.` : `${name} is saved.`);
    return true;
  };

  const takeTheirs = () => {
    setDraft(draftOf(begun));
    setNews(undefined);
  };

  const secretFault = refusedSecret ?? (isSecretMissing && tries > 0 ? "This is needed." : undefined);
  return { ref, draft, put, faults, check, submit, news, takeTheirs, asksFor, newSecret, setNewSecret, secretFault };
}

/** Reads the channels anew, for the page too. */
async function readChannels(): Promise<readonly alerts.AlertChannel[]> {
  const { value } = await call(alerts.alerts);
  queries.setQueryData(["alerts"], value);
  return value.channels;
}

/** Which secret the form asks for: the one to save for a new place, or the one in a variable, to be allowed there. */
function secretAsked(draft: ChannelDraft, begun: alerts.AlertChannel | undefined): "saved" | "variable" | undefined {
  if (draft.secret !== "") {
    const isGiven =
      begun?.secret === "variable" && begun.config.secret === draft.secret && !leadsElsewhere(draft, begun);
    return isGiven ? undefined : "variable";
  }
  return begun?.secret === "saved" && leadsElsewhere(draft, begun) ? "saved" : undefined;
}
