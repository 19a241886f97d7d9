import { plural } from "../../shared/format/format.ts";
import { entriesIn, namesIn, valueAt } from "./values.ts";

type Config = Readonly<Record<string, unknown>>;

/** What is taken out of the configuration, and what that does. */
export interface Removal {
  readonly title: string;
  /** One sentence each. */
  readonly consequences: readonly string[];
  /** The part of the configuration that says so. */
  readonly change: Readonly<Record<string, unknown>>;
}

/** In place of an entry: it is taken away, also where `nest.yaml` has it. */
const GONE = false;

/** What of an agent is known now. */
export interface AgentNow {
  readonly run_id?: string | undefined;
  readonly working_on?: string | undefined;
}

/** From which layer the value of a key comes. */
export type LayerOf = (key: string) => string | undefined;

/**
 * The removal of an agent, with its intervals that were saved here. Those of `nest.yaml` cannot be taken out of it: they stay there,
 * and say nothing while there is no such agent. Pure.
 */
export function agentRemoval(name: string, config: Config, layerOf: LayerOf, now: AgentNow | undefined): Removal {
  const intervals = entriesIn(config, "governor.modes").flatMap(([mode]) => {
    const interval = valueAt(config, ["governor", "modes", mode, name]);
    if (typeof interval !== "string") return [];
    return [{ mode, words: `${mode} ${interval}`, isOfSeed: layerOf(`governor.modes.${mode}.${name}`) === "seed" }];
  });
  const saved = intervals.filter(({ isOfSeed }) => !isOfSeed);
  const ofSeed = intervals.filter(({ isOfSeed }) => isOfSeed);
  const modes = Object.fromEntries(saved.map(({ mode }) => [mode, { [name]: null }]));
  return {
    title: `Remove the agent ${name}?`,
    consequences: [
      now?.run_id === undefined
        ? "No run ends: it is not at work."
        : `1 run ends${now.working_on === undefined ? "" : `, the one on ${now.working_on}`}.`,
      ...(saved.length === 0 && ofSeed.length > 0
        ? []
        : [
            intervalsGo(
              saved.map(({ words }) => words),
              "No mode has an interval for it.",
            ),
          ]),
      ...intervalsStay(ofSeed.map(({ words }) => words)),
      "Its ledger and the records of its runs stay.",
    ],
    change: { agents: { [name]: GONE }, ...(saved.length === 0 ? {} : { governor: { modes } }) },
  };
}

/** The removal of a mode. `modeNow`: the one in force. Pure. */
export function modeRemoval(name: string, config: Config, modeNow: string | undefined): Removal {
  const agents = namesIn(config, "agents");
  const intervals = Object.entries(Object(valueAt(config, ["governor", "modes", name])))
    .filter(([agent, interval]) => agents.includes(agent) && typeof interval === "string")
    .map(([agent, interval]) => `${agent} ${interval}`);
  const left = entriesIn(config, "governor.modes").length - 1;
  return {
    title: `Remove the mode ${name}?`,
    consequences: [
      modeNow !== name
        ? "It is not the mode now."
        : left === 0
          ? "It is the mode now, and no other takes its place."
          : "It is the mode now: another one takes its place at once.",
      "No run ends.",
      intervalsGo(intervals, "No agent has an interval in it."),
      left === 0
        ? "No mode is left: every agent works every 15 minutes."
        : `${plural(left, "mode")} ${left === 1 ? "stays" : "stay"}.`,
    ],
    change: { governor: { modes: { [name]: GONE } } },
  };
}

/** The removal of a notification channel. `waiting`: messages that it has not sent. Pure. */
export function channelRemoval(name: string, waiting: number): Removal {
  return {
    title: `Remove the channel ${name}?`,
    consequences: [
      waiting === 0
        ? "No message is lost."
        : `${plural(waiting, "message")} that waited ${waiting === 1 ? "is" : "are"} lost.`,
      "Its secret is deleted, where it was saved here.",
    ],
    change: { notifications: { channels: { [name]: GONE } } },
  };
}

function intervalsGo(intervals: readonly string[], none: string): string {
  if (intervals.length === 0) return none;
  return `${plural(intervals.length, "interval")} ${intervals.length === 1 ? "goes" : "go"}: ${intervals.join(", ")}.`;
}

function intervalsStay(intervals: readonly string[]): string[] {
  if (intervals.length === 0) return [];
  const stay = intervals.length === 1 ? "stays" : "stay";
  return [`${plural(intervals.length, "interval")} ${stay} in nest.yaml, without effect: ${intervals.join(", ")}.`];
}
