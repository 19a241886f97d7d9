/** How often an agent is set to work in a mode, in milliseconds; or not at all. */
export type Cadence = number | "pause";

/** One of the governor's modes (spec: `governor.modes.<mode>`). */
export interface Mode {
  readonly name: string;
  /** It holds while more issues than this are actionable. */
  readonly threshold: number;
  /** By agent. An agent that it does not name goes by {@link DEFAULT_CADENCE_MS}. */
  readonly cadences: Readonly<Record<string, Cadence>>;
}

/** The mode in force where no threshold is passed. */
export const IDLE = "idle";
/** For agents that the mode in force does not name. */
export const DEFAULT_CADENCE_MS = 15 * 60_000;

/** The mode with the highest threshold that the number of actionable issues is above; `idle` where there is none. Pure. */
export function modeInForce(modes: readonly Mode[], actionable: number): Mode {
  const holding = modes.filter(({ name, threshold }) => name !== IDLE && actionable > threshold);
  const highest = holding.reduce<Mode | undefined>(
    (best, mode) => (best === undefined || mode.threshold > best.threshold ? mode : best),
    undefined,
  );
  return highest ?? modes.find(({ name }) => name === IDLE) ?? { name: IDLE, threshold: -1, cadences: {} };
}

/** How often a mode sets this agent to work. */
export function cadenceIn(mode: Mode, agent: string): Cadence {
  return Object.hasOwn(mode.cadences, agent) ? (mode.cadences[agent] ?? DEFAULT_CADENCE_MS) : DEFAULT_CADENCE_MS;
}

const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 } as const;
const SHORTEST_MS = 10_000;
const LONGEST_MS = 366 * UNITS.d;

/** Reads `4h`, `90m`, `1h30m` or `pause`; undefined where it is neither, shorter than 10 s or longer than a year. Pure. */
export function readCadence(text: string): Cadence | undefined {
  const word = text.trim().toLowerCase();
  if (word === "pause") return "pause";
  const match = /^(?:(\d{1,3})d)?(?:(\d{1,5})h)?(?:(\d{1,7})m)?(?:(\d{1,9})s)?$/.exec(word);
  if (match === null || word === "") return undefined;
  const [, d, h, m, s] = match;
  const ms = Number(d ?? 0) * UNITS.d + Number(h ?? 0) * UNITS.h + Number(m ?? 0) * UNITS.m + Number(s ?? 0) * UNITS.s;
  return ms < SHORTEST_MS || ms > LONGEST_MS ? undefined : ms;
}
