import type { Event, Held } from "./hard-relay.ts";

/** A period in which a relay could rightly believe that it had an issue for itself. */
interface Stretch {
  readonly relay: number;
  readonly task: Held;
  readonly from: number;
  readonly to: number;
  readonly boot: number;
}

export interface Judgement {
  readonly assignments: number;
  /** Completions the hub acknowledged, by relay. */
  readonly completed: readonly number[];
  readonly resumes: number;
  /** One sentence for each broken promise. */
  readonly broken: readonly string[];
}

/**
 * Compares the relays' histories. A period ends when its relay sent the frame that ends it: the hub cannot have known earlier,
 * so an overlap is the hub's fault, whatever the network did.
 */
export function judge(histories: readonly (readonly Event[])[]): Judgement {
  const broken: string[] = [];
  const stretches = histories.flatMap((history, relay) => stretchesOf(history, relay));
  broken.push(...overlaps(stretches), ...disorder(stretches));
  for (const [relay, history] of histories.entries()) {
    for (const event of history)
      if (event.kind === "revoked") broken.push(`relay ${relay} lost ${event.taskId}: ${event.reason}`);
  }
  return {
    assignments: stretches.length,
    completed: histories.map(acknowledgedCompletions),
    resumes: histories.flat().filter((event) => event.kind === "resumed").length,
    broken,
  };
}

function stretchesOf(history: readonly Event[], relay: number): Stretch[] {
  return history.flatMap((event) => {
    if (event.kind !== "assigned") return [];
    const end = history.find((one) => one.kind === "ended" && one.task === event.task);
    return [{ relay, task: event.task, from: event.at, to: end?.at ?? Number.POSITIVE_INFINITY, boot: event.boot }];
  });
}

function overlaps(stretches: readonly Stretch[]): string[] {
  const byIssue = Map.groupBy(stretches, ({ task }) => `${task.repo}#${task.number}`);
  return [...byIssue].flatMap(([issue, all]) => {
    const inTime = all.toSorted((a, b) => a.from - b.from);
    return inTime.slice(1).flatMap((later, at) => {
      const earlier = inTime[at];
      if (earlier === undefined) return [];
      const both = `${issue}: ${earlier.task.task_gen} of relay ${earlier.relay}, ${later.task.task_gen} of ${later.relay}`;
      return [
        ...(later.from < earlier.to ? [`two live assignments of ${both}`] : []),
        ...(later.task.task_gen <= earlier.task.task_gen ? [`a generation did not rise: ${both}`] : []),
      ];
    });
  });
}

/** Generations rise with each boot of the hub, rise for each relay, and none is given twice. */
function disorder(stretches: readonly Stretch[]): string[] {
  const broken: string[] = [];
  const gens = stretches.map(({ task }) => task.task_gen);
  if (new Set(gens).size !== gens.length) broken.push("a generation was given twice");
  if (new Set(stretches.map(({ task }) => task.task_id)).size !== gens.length) broken.push("a task id was given twice");
  const boots = [...Map.groupBy(stretches, ({ boot }) => boot)].sort(([a], [b]) => a - b);
  let highest = 0;
  for (const [boot, all] of boots) {
    const these = all.map(({ task }) => task.task_gen);
    if (Math.min(...these) <= highest) broken.push(`boot ${boot} went back to generation ${Math.min(...these)}`);
    highest = Math.max(highest, ...these);
  }
  for (const [relay, all] of Map.groupBy(stretches, (stretch) => stretch.relay)) {
    const falls = all.some(({ task }, at) => at > 0 && task.task_gen <= (all[at - 1]?.task.task_gen ?? 0));
    if (falls) broken.push(`the generations of relay ${relay} do not rise`);
  }
  return broken;
}

function acknowledgedCompletions(history: readonly Event[]): number {
  const completed = new Set(
    history.flatMap((event) => (event.kind === "ended" && event.how === "completed" ? [event.task.task_id] : [])),
  );
  return history.filter((event) => event.kind === "acknowledged" && completed.has(event.taskId)).length;
}
