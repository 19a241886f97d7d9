import "./settings.css";
import { Button, Modal } from "@mantine/core";
import { useEffect, useState } from "react";
import { ask } from "../look/ask.tsx";
import { Failed, Waiting } from "../look/states.tsx";
import { plural } from "../look/words.ts";
import { guardLeaving } from "../place/place.ts";
import { Conflicts } from "./conflicts.tsx";
import { FilterParts } from "./filter-parts.tsx";
import { HandOutParts } from "./hand-out-parts.tsx";
import { ModelParts } from "./model-parts.tsx";
import { RepositoryParts } from "./repository-parts.tsx";
import { Review } from "./review.tsx";
import { TierParts } from "./tier-parts.tsx";
import { useSettings } from "./use-settings.ts";

/** The whole queue configuration as one draft: shown before it is saved, saved all or nothing. */
export function Settings() {
  const hand = useSettings();
  const { base, draft, changed, faults, problem, again } = hand;
  const [reviewing, setReviewing] = useState(false);
  const isChanged = changed.length > 0;
  useEffect(() => (isChanged ? guardLeaving(askToLeave) : undefined), [isChanged]);
  if (problem !== undefined && problem !== null) return <Failed problem={problem} again={again} />;
  if (draft === undefined || base === undefined) return <Waiting rows={8} />;
  const faulty = Object.keys(faults).length;
  return (
    <>
      <div className="page-head">
        <h1>Queue settings</h1>
      </div>
      <Conflicts hand={hand} />
      <div className="settings">
        <HandOutParts hand={hand} draft={draft} />
        <RepositoryParts hand={hand} draft={draft} />
        <FilterParts hand={hand} draft={draft} />
        <ModelParts hand={hand} draft={draft} />
        <TierParts hand={hand} draft={draft} />
      </div>
      {isChanged ? (
        <section className="save-bar" aria-label="Unsaved changes">
          <span>
            {plural(changed.length, "unsaved change")}
            {faulty === 0 ? "" : `, ${faulty} cannot be saved yet`}
          </span>
          <Button variant="default" onClick={hand.discard}>
            Discard
          </Button>
          <Button disabled={faulty > 0} onClick={() => setReviewing(true)}>
            Review and save
          </Button>
        </section>
      ) : undefined}
      <Modal opened={reviewing && isChanged} onClose={() => setReviewing(false)} title="What changes" size="lg">
        <Review
          base={base}
          draft={draft}
          changed={changed}
          isSaving={hand.isSaving}
          cancel={() => setReviewing(false)}
          save={() => void hand.save().then(() => setReviewing(false))}
        />
      </Modal>
    </>
  );
}

function askToLeave(go: () => void): boolean {
  ask({
    title: "Leave without saving?",
    consequences: "What you changed here is lost.",
    yes: "Leave",
    no: "Stay",
    dangerous: true,
    act: go,
  });
  return false;
}
