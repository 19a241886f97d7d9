import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Answer, CallError } from "../call/call.ts";
import { showError, showToast } from "../toast/toast.tsx";
import { beginDraft, changedKeys, changeOf, type Draft, edit, receive, settle } from "./draft.ts";

/** What is wrong, by key. */
export type Faults = Readonly<Partial<Record<string, string>>>;

export interface DraftSource<Values extends object> {
  /** Under which the values are read. */
  readonly queryKey: readonly unknown[];
  readonly read: (signal: AbortSignal) => Promise<Answer<Values>>;
  /** Saves a change, only while `revision` is in force. Answers with the values in force where they can be others than the draft's. */
  readonly write: (
    change: Partial<Values>,
    revision: string | undefined,
  ) => Promise<{ readonly etag: string | undefined; readonly inForce?: Values }>;
  /** What is said when it was saved; that it is in force now unless said otherwise. */
  readonly saved?: string;
  /** The error code of a save that the server refused because another revision is in force. */
  readonly changedCode: string;
  /** Finds what the server would refuse, by key. */
  readonly faultsOf: (draft: Draft<Values>) => Faults;
  /** Assigns the server's refusal to the key that its message names; undefined if it names none. */
  readonly faultOfAnswer: (message: string, values: Values) => Faults | undefined;
}

/** Reads stored values and edits a draft of them, which follows the changes that others save meanwhile. */
export function useDraft<Values extends object>(source: DraftSource<Values>) {
  const client = useQueryClient();
  const read = useQuery({ queryKey: source.queryKey, queryFn: ({ signal }) => source.read(signal) });
  const [draft, setDraft] = useState<Draft<Values>>();
  const [refused, setRefused] = useState<Faults>({});
  const [isSaving, setSaving] = useState(false);
  const [isOutdated, setOutdated] = useState(false);

  const now = read.data;
  if (now !== undefined && draft === undefined) setDraft(beginDraft(now.value, now.etag));
  else if (now !== undefined && now.etag !== draft?.revision && !isSaving)
    setDraft((before) => before && receive(before, now.value, now.etag));

  const change = (part: Partial<Values>) => {
    setOutdated(false);
    setDraft((before) => before && edit(before, part));
    setRefused((before) => Object.fromEntries(Object.entries(before).filter(([key]) => !(key in part))) as Faults);
  };

  const save = async (): Promise<boolean> => {
    if (draft === undefined || draft.conflicts.length > 0) return false;
    setSaving(true);
    try {
      const { etag, inForce = draft.values } = await source.write(changeOf(draft), draft.revision);
      client.setQueryData(source.queryKey, { value: inForce, etag });
      setDraft(beginDraft(inForce, etag));
      setOutdated(false);
      showToast(source.saved ?? "Saved. It is in force now.");
      return true;
    } catch (thrown) {
      if (thrown instanceof CallError && thrown.code === source.changedCode) {
        // What others saved is read and shown beside the draft: that says more than the refusal.
        setOutdated((await read.refetch()).isSuccess);
        return false;
      }
      const faults = thrown instanceof CallError ? source.faultOfAnswer(thrown.message, draft.base) : undefined;
      if (faults === undefined) showError(thrown);
      else setRefused(faults);
      return false;
    } finally {
      setSaving(false);
    }
  };

  return {
    draft,
    problem: draft === undefined && read.error !== null ? read.error : undefined,
    again: () => void read.refetch(),
    change,
    changed: draft === undefined ? [] : changedKeys(draft),
    faults: (draft === undefined ? {} : { ...refused, ...source.faultsOf(draft) }) as Faults,
    isSaving,
    save,
    settle: (key: keyof Values, whose: "mine" | "theirs") => setDraft((before) => before && settle(before, key, whose)),
    /** The last save was refused because others had saved, and what they saved was read. */
    isOutdated,
    /** Forgets which keys others changed, once the person has read it. */
    seen() {
      setDraft((before) => before && { ...before, taken: [], dropped: {} });
      setOutdated(false);
    },
    discard() {
      setOutdated(false);
      setDraft((before) => before && beginDraft(before.base, before.revision));
      setRefused({});
    },
  };
}
