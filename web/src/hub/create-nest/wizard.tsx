import { Button } from "@mantine/core";
import { nests } from "@nest/protocol";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { CallError, call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { LoadFailed } from "../../shared/states/states.tsx";
import { Choices } from "./choices.tsx";
import { type ByHandOn, Credentials } from "./credentials.tsx";
import { levelMeans, levelOf, offeredLevels } from "./levels.ts";
import {
  type DraftFaults,
  type DraftField,
  emptyDraft,
  faultOfAnswer,
  faultsOf,
  type NestDraft,
  projectOf,
  stepOf,
  wizardSteps,
} from "./nest-draft.ts";
import { isFull, Place } from "./place.tsx";
import { addTyped } from "./repository-names.ts";
import { RepositoryPicker } from "./repository-picker.tsx";
import { Review } from "./review.tsx";

export interface WizardProps {
  readonly clusters: readonly nests.Cluster[];
  /** The placeholder that is given to an owner; undefined: a nest is created. */
  readonly claim: string | undefined;
}

const levelChoices = offeredLevels.map((level) => ({
  value: level,
  name: `${level}: ${levelOf(level)}`,
  means: levelMeans(level),
}));

/** What was typed, where one is, and what is wrong with it. It stays in the page's memory: it may be secret. */
function useWizard({ clusters, claim }: WizardProps) {
  const isClaim = claim !== undefined;
  const [draft, setDraft] = useState<NestDraft>({
    ...emptyDraft,
    cluster: clusters.find((one) => !isFull(one) && one.reachable !== "pull_only" && one.reachable !== "incomplete")
      ?.id,
  });
  const [at, setAt] = useState(0);
  const [faults, setFaults] = useState<DraftFaults>({});
  /** What stands in the field for repositories and was not added yet. */
  const [typed, setTyped] = useState("");
  const change = (part: Partial<NestDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
    setFaults((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in part))));
  };
  const create = useCreate(claim, (refused) => {
    setFaults(refused);
    setAt(firstStepOf(refused) ?? at);
  });
  const last = wizardSteps.length;
  const form = useRef<HTMLFormElement>(null);
  useFocusOfStep(form, at, faults);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const added = addTyped(draft.repos, typed);
    const whole = { ...draft, repos: added.repos };
    setDraft(whole);
    if (added.fault !== undefined) return setFaults({ repos: added.fault });
    setTyped("");
    const all = faultsOf(whole, { isClaim, hasClusters: clusters.length > 0 });
    const here = Object.fromEntries(
      Object.entries(all).filter(([field]) => stepOf(field as DraftField) <= at),
    ) as DraftFaults;
    setFaults(here);
    const back = firstStepOf(here);
    if (back !== undefined) setAt(back);
    else if (at < last) setAt(at + 1);
    else create.run(whole);
  };
  return { isClaim, draft, at, setAt, faults, typed, setTyped, change, create, last, form, submit };
}

/** The steps, one at a time. */
export function Wizard(props: WizardProps) {
  const { clusters } = props;
  const { isClaim, draft, at, setAt, faults, typed, setTyped, change, create, last, form, submit } = useWizard(props);
  return (
    <form
      ref={form}
      className="panel wizard"
      onSubmit={submit}
      noValidate
      autoComplete="off"
      aria-label={isClaim ? "Give a nest to its owner" : "Create a nest"}
    >
      <Progress at={at} goTo={setAt} />
      <section className="pad" aria-labelledby="step-title">
        <h2 id="step-title" tabIndex={-1}>
          {wizardSteps[at]?.name ?? "Review"}{" "}
          <span className="tally">
            step {at + 1} of {last + 1}
          </span>
        </h2>
        <div className="wizard-step">
          {at === 0 ? (
            <RepositoryPicker
              repos={draft.repos}
              primary={draft.primary}
              typed={typed}
              type={setTyped}
              error={faults.repos ?? faults.primary}
              change={change}
            />
          ) : at === 1 ? (
            <Choices
              legend="What may its agents do?"
              name="level"
              choices={levelChoices}
              chosen={draft.level}
              error={faults.level}
              choose={(level) => change({ level })}
            />
          ) : at === 2 ? (
            <Credentials
              draft={draft}
              faults={faults}
              byHand={byHandOn(isClaim ? [] : clusters, draft.cluster)}
              change={change}
            />
          ) : at === 3 ? (
            <Place draft={draft} faults={faults} clusters={clusters} isClaim={isClaim} change={change} />
          ) : (
            <Review draft={draft} cluster={clusters.find(({ id }) => id === draft.cluster)} isClaim={isClaim} />
          )}
        </div>
        {create.problem === undefined || at < last ? undefined : <LoadFailed problem={create.problem} />}
        <div className="dialog-end">
          {at === 0 ? undefined : (
            <Button variant="default" onClick={() => setAt(at - 1)}>
              Back
            </Button>
          )}
          <Button type="submit" loading={create.isPending}>
            {at < last ? "Next" : isClaim ? "Give it to its owner" : "Create the nest"}
          </Button>
        </div>
      </section>
    </form>
  );
}

/** Which clusters the hub does not touch, and whether the nest will live on one of them as things stand. */
function byHandOn(clusters: readonly nests.Cluster[], chosen: string | undefined): ByHandOn {
  const untouched = clusters.filter(({ reachable }) => reachable === "pull_only");
  const isSure =
    untouched.some(({ id }) => id === chosen) || (untouched.length > 0 && untouched.length === clusters.length);
  return { names: untouched.map(({ id, name }) => name ?? id), isSure };
}

/** Where in the wizard one is; steps that were passed can be gone back to. */
function Progress({ at, goTo }: { readonly at: number; readonly goTo: (step: number) => void }) {
  const names = [...wizardSteps.map(({ name }) => name), "Review"];
  return (
    <ol className="wizard-steps" aria-label="Steps">
      {names.map((name, nth) => (
        <li
          key={name}
          data-state={nth < at ? "done" : nth === at ? "now" : "later"}
          aria-current={nth === at ? "step" : undefined}
        >
          {nth < at ? (
            <button type="button" onClick={() => goTo(nth)}>
              {name}
            </button>
          ) : (
            <span>{name}</span>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Creates or claims, and goes to the nest's page; a refusal that names a field goes to `refuse`. */
function useCreate(claim: string | undefined, refuse: (faults: DraftFaults) => void) {
  const navigate = useNavigate();
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const run = (draft: NestDraft) => {
    if (isPending) return;
    setPending(true);
    setProblem(undefined);
    send(draft, claim).then(
      (id) => {
        void queries.invalidateQueries({ queryKey: ["my-nests"] });
        void navigate({ to: "/my-nests/$id", params: { id } as never, replace: true });
      },
      (thrown: unknown) => {
        setPending(false);
        const named = thrown instanceof CallError ? faultOfAnswer(thrown.message) : undefined;
        if (named === undefined) setProblem(thrown);
        else refuse(named);
      },
    );
  };
  return { run, isPending, problem };
}

async function send(draft: NestDraft, claim: string | undefined): Promise<string> {
  const project = projectOf(draft);
  if (claim === undefined)
    return (
      await call(nests.create, {
        body: { ...project, ...(draft.cluster === undefined ? {} : { cluster_id: draft.cluster }) },
      })
    ).value.id;
  return (await call(nests.claim, { params: { id: claim }, body: { ...project, owner: draft.owner.trim() } })).value.id;
}

function firstStepOf(faults: DraftFaults): number | undefined {
  const steps = Object.keys(faults).map((field) => stepOf(field as DraftField));
  return steps.length === 0 ? undefined : Math.min(...steps);
}

/** The fields of a step that have a fault; of choices the first. */
const FAULTY = "[aria-invalid=true]:is(input, textarea), [data-error] :is(input, textarea), [data-invalid] input";

/** Focuses the heading of a step that was gone to, or the first field that has a fault. */
function useFocusOfStep(form: React.RefObject<HTMLFormElement | null>, at: number, faults: DraftFaults): void {
  const shown = useRef(at);
  useEffect(() => {
    const faulty = Object.keys(faults).length > 0 ? form.current?.querySelector<HTMLElement>(FAULTY) : undefined;
    if (faulty) faulty.focus();
    else if (shown.current !== at) form.current?.querySelector<HTMLElement>("#step-title")?.focus();
    shown.current = at;
  }, [form, at, faults]);
}
