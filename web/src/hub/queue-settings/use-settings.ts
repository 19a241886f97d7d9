import { governor } from "@nest/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CallError, call } from "../../shared/call/call.ts";
import { showError, showToast } from "../../shared/toast/toast.tsx";
import {
  type Conflict,
  changedKeys,
  changeOf,
  type Faults,
  faultOfAnswer,
  faultsOf,
  type Key,
  rebase,
  type Settings,
} from "./draft.ts";

interface Begun {
  readonly base: Settings;
  readonly etag: string | undefined;
  readonly draft: Settings;
}

/** The configuration in force and a draft of another one, kept true to what other admins do meanwhile. */
export function useSettingsDraft() {
  const client = useQueryClient();
  const read = useQuery({
    queryKey: ["governor"],
    queryFn: async ({ signal }) => call(governor.governor, { signal }),
  });
  const [begun, setBegun] = useState<Begun>();
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  const [taken, setTaken] = useState<readonly Key[]>([]);
  const [refused, setRefused] = useState<Faults>({});
  const [isSaving, setSaving] = useState(false);

  const now = read.data;
  if (now !== undefined && now.etag !== begun?.etag) {
    if (begun === undefined) setBegun({ base: now.value, etag: now.etag, draft: now.value });
    else {
      const on = rebase(begun.base, begun.draft, now.value);
      setBegun({ base: now.value, etag: now.etag, draft: on.draft });
      setConflicts(on.conflicts);
      setTaken((before) => [...new Set([...before, ...on.taken])]);
    }
  }

  const change = (part: Partial<Settings>) => {
    setBegun((before) => before && { ...before, draft: { ...before.draft, ...part } });
    setRefused((before) => Object.fromEntries(Object.entries(before).filter(([key]) => !(key in part))));
  };
  const changed = begun === undefined ? [] : changedKeys(begun.base, begun.draft);

  const save = async (): Promise<boolean> => {
    if (begun === undefined) return false;
    setSaving(true);
    try {
      const { etag } = await call(governor.changeGovernor, {
        body: changeOf(begun.base, begun.draft),
        ifMatch: begun.etag,
      });
      client.setQueryData(["governor"], { value: begun.draft, etag });
      setBegun({ base: begun.draft, etag, draft: begun.draft });
      setConflicts([]);
      setTaken([]);
      showToast("Saved. It is in force now.");
      return true;
    } catch (thrown) {
      if (thrown instanceof CallError && thrown.code === "configuration_changed") await read.refetch();
      const faults = thrown instanceof CallError ? faultOfAnswer(thrown.message, begun.base) : undefined;
      if (faults === undefined) showError(thrown);
      else setRefused(faults);
      return false;
    } finally {
      setSaving(false);
    }
  };

  return {
    base: begun?.base,
    draft: begun?.draft,
    problem: read.data === undefined ? read.error : undefined,
    again: () => void read.refetch(),
    change,
    changed,
    faults: begun === undefined ? {} : { ...refused, ...faultsOf(begun.base, begun.draft) },
    conflicts: conflicts.filter(({ key }) => changed.includes(key)),
    taken,
    isSaving,
    save,
    /** Settles a conflict. */
    settle(conflict: Conflict, whose: "mine" | "theirs") {
      if (whose === "theirs") change({ [conflict.key]: conflict.theirs });
      setConflicts((before) => before.filter(({ key }) => key !== conflict.key));
    },
    discard() {
      setBegun((before) => before && { ...before, draft: before.base });
      setConflicts([]);
      setTaken([]);
      setRefused({});
    },
  };
}

export type SettingsDraft = ReturnType<typeof useSettingsDraft>;
