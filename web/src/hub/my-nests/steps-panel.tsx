import type { nests } from "@nest/protocol";
import { useState } from "react";
import { useServerNow } from "../../shared/call/server-time.ts";
import { duration, timeOfDay } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { ByHand } from "../clusters/by-hand.tsx";
import { progressWords, stepWords } from "./nest-words.ts";

type Step = nests.NestDetail["steps"][number];

const states: Readonly<Record<Step["state"], string>> = {
  waiting: "waits",
  running: "under way",
  done: "done",
  failed: "failed",
  skipped: "not needed",
};

/** The steps of what is under way, or of what was done last, as they happen. */
export function StepsPanel({ nest }: { readonly nest: nests.NestDetail }) {
  const { steps, status, operation, cluster_id: cluster, queue_position: position } = nest;
  // Nothing is under way on a nest that was just made: its cluster is one that the hub does not touch.
  const isByHand = status === "provisioning" && operation === undefined;
  // Those of long ago are folded away; those that somebody watches stay when they are done.
  const isNews = operation !== undefined || steps.some(({ state }) => state === "failed");
  const [isOpen, setOpen] = useState(isNews);
  const [wasNews, setWasNews] = useState(isNews);
  if (isNews !== wasNews) {
    setWasNews(isNews);
    if (isNews) setOpen(true);
  }
  return (
    <Panel id="steps" title="Steps">
      {isByHand ? (
        <div className="pad">
          <ByHand nest={nest} />
        </div>
      ) : (
        <details className="steps-part" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            <span role="status">
              {position === undefined ? "" : `Number ${position} in the line of cluster ${cluster}. `}
              {progressWords(steps)}
            </span>
          </summary>
          <ol className="steps">
            {steps.map((step) => (
              <StepLine key={step.name} step={step} />
            ))}
          </ol>
        </details>
      )}
    </Panel>
  );
}

function StepLine({ step: { name, state, attempt, note, error, at } }: { readonly step: Step }) {
  return (
    <li data-state={state}>
      <b>{stepWords(name)}</b>
      <span className="soft small">
        {states[state]}
        {attempt > 1 ? `, attempt ${attempt}` : ""}
        {at === undefined || state === "waiting" ? (
          ""
        ) : state === "running" ? (
          <For since={at} />
        ) : (
          `, ${timeOfDay(Date.parse(at))}`
        )}
      </span>
      {note === undefined || state !== "running" ? undefined : (
        <p className="step-note soft">
          <bdi>{note}</bdi>
        </p>
      )}
      {error === undefined ? undefined : (
        <p className="step-error">
          <bdi>{error}</bdi>
        </p>
      )}
    </li>
  );
}

function For({ since }: { readonly since: string }) {
  return <>, {duration(useServerNow() - Date.parse(since))}</>;
}
