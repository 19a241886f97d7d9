import "./settings.css";
import { Button } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { openConfirm } from "../forms/confirm.tsx";
import { DialogBox } from "../forms/dialogs.tsx";
import { PageIndex, type PageIndexProps } from "../layout/page-index.tsx";
import type { Draft } from "./draft.ts";
import type { Faults, useDraft } from "./use-draft.ts";

// Who only looks does not wait for what a change needs.
const SaveBar = lazy(async () => ({ default: (await import("./save-bar.tsx")).SaveBar }));

export interface SettingsFrameProps<Values extends object> {
  readonly form: Pick<
    ReturnType<typeof useDraft<Values>>,
    "changed" | "isOutdated" | "isSaving" | "save" | "settle" | "seen" | "discard"
  >;
  readonly draft: Draft<Values>;
  readonly faults: Faults;
  readonly firstFault?: ReactNode;
  readonly sections: PageIndexProps["sections"];
  readonly nameOf: (key: keyof Values & string) => string;
  /** A value as others may see it over one's shoulder; the value itself unless said otherwise. */
  readonly shown?: (key: keyof Values & string, values: Values) => unknown;
  /** Who else may change these values. */
  readonly others?: string;
  /** Shows, before saving, what changes. */
  readonly review: ReactNode;
  readonly children: ReactNode;
}

/** A page of settings that are edited as one draft: an index beside them, below them what is unsaved, and a review before saving. */
export function SettingsFrame<Values extends object>(props: SettingsFrameProps<Values>) {
  const { form, draft, faults, nameOf, shown = (key, values) => values[key], sections, review, children } = props;
  const [isReviewing, setReviewing] = useState(false);
  const isChanged = form.changed.length > 0;
  useBlocker({
    disabled: !isChanged,
    enableBeforeUnload: isChanged,
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && !(await askToLeave()),
  });
  const faulty = Object.keys(faults).length;
  const dropped = keysOf(Object.keys(draft.dropped) as (keyof Values)[]);
  const isNews = form.isOutdated || draft.conflicts.length + draft.taken.length + dropped.length > 0;
  return (
    <>
      <div className="settings-page">
        <PageIndex sections={sections} />
        {children}
        {isChanged || isNews ? (
          <Suspense>
            <SaveBar
              changes={form.changed.length}
              {...(props.others === undefined ? {} : { others: props.others })}
              faults={faulty}
              firstFault={props.firstFault}
              conflicts={keysOf(draft.conflicts).map((key) => ({
                key,
                name: nameOf(key),
                mine: shown(key, draft.values),
                theirs: shown(key, draft.base),
                settle: (whose) => form.settle(key, whose),
              }))}
              taken={keysOf(draft.taken).map(nameOf)}
              dropped={dropped.map((key) => ({ name: nameOf(key), value: shown(key, draft.dropped as Values) }))}
              isOutdated={form.isOutdated}
              seen={form.seen}
              discard={form.discard}
              review={() => setReviewing(true)}
            />
          </Suspense>
        ) : undefined}
      </div>
      <DialogBox isOpen={isReviewing && isChanged} close={() => setReviewing(false)} title="What changes" size="lg">
        <Suspense>{review}</Suspense>
        <div className="dialog-end">
          <Button variant="default" onClick={() => setReviewing(false)}>
            Go on editing
          </Button>
          <Button
            data-autofocus
            loading={form.isSaving}
            disabled={draft.conflicts.length > 0 || faulty > 0}
            onClick={() => void form.save().then(() => setReviewing(false))}
          >
            Save
          </Button>
        </div>
      </DialogBox>
    </>
  );
}

function keysOf<Values extends object>(keys: readonly (keyof Values)[]): readonly (keyof Values & string)[] {
  return keys as readonly (keyof Values & string)[];
}

function askToLeave(): Promise<boolean> {
  return new Promise((resolve) => {
    openConfirm({
      title: "Leave without saving?",
      consequences: "What you changed here is lost.",
      yes: "Leave",
      no: "Stay",
      dangerous: true,
      act: async () => resolve(true),
      otherwise: () => resolve(false),
    });
  });
}
