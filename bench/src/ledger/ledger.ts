import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Ledger } from "@nest/governor";
import { seededRandom, systemClock, systemRandom } from "@nest/kit";
import { Samples } from "../figures/percentiles.ts";
import { ratioLine, short, table } from "../figures/table.ts";

export interface LedgerBench {
  readonly beads: number;
  readonly seconds: number;
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

/** Questions of `ready` that are measured, each after a change. */
const QUESTIONS = 2000;
/** Writers at once, where one sync is shared. */
const WRITERS = 50;
/** What one such change takes in the log. */
const LINE_BYTES = 270;
const TURNS = 20;

/** A spoke's work ledger: `ready` of a large one, and durable appends beside the same bytes written and synced by hand. */
export async function benchLedger({ beads, seconds, print, tell }: LedgerBench): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "nest-bench-ledger-"));
  try {
    tell(`writing ${beads} beads`);
    print(await readyOf(join(folder, "large"), beads, tell));
    tell("appending");
    print(await appends(folder, seconds));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openLedger(folder: string): Promise<Ledger> {
  return Ledger.open({ folder, actor: "bench", clock: systemClock(), random: systemRandom() });
}

/** Lines to import: a third of the beads are finished, and two of three depend on earlier ones. */
function* issues(count: number): Generator<string> {
  const random = seededRandom(11);
  const at = (nth: number) => new Date(Date.UTC(2026, 0, 1) + nth * 60_000).toISOString();
  for (let nth = 0; nth < count; nth += 1) {
    const status = random.fraction() < 0.33 ? "closed" : "open";
    const earlier = () => `bench-${Math.floor(random.fraction() * nth)}`;
    const depends_on = nth === 0 || nth % 3 === 0 ? [] : [earlier(), earlier()];
    const notes = "what is known of it so far ".repeat(4);
    const priority = Math.floor(random.fraction() * 5);
    const title = `bead ${nth} of a large ledger`;
    yield JSON.stringify({ id: `bench-${nth}`, title, status, priority, notes, depends_on, created_at: at(nth) });
  }
}

async function readyOf(folder: string, beads: number, tell: (text: string) => void): Promise<string> {
  const writing = await openLedger(folder);
  const imported = await timed(() => writing.import([...issues(beads)].join("\n")));
  await writing.compact();
  await writing[Symbol.asyncDispose]();
  let opened: Ledger | undefined;
  const opening = await timed(async () => {
    opened = await openLedger(folder);
  });
  if (opened === undefined) throw new Error("the ledger was opened");
  await using ledger = opened;
  const first = await timed(async () => ledger.ready(20));
  tell("asking what is ready");
  const ready = new Samples();
  const walk = new Samples();
  const random = seededRandom(12);
  for (let nth = 0; nth < QUESTIONS; nth += 1) {
    const id = `bench-${Math.floor(random.fraction() * beads)}`;
    await (nth % 2 === 0 ? ledger.close(id) : ledger.reset(id));
    const began = performance.now();
    ledger.ready(20);
    ready.add(performance.now() - began);
    if (nth % 50 === 0) walk.add(await timed(async () => ledger.list({ status: ["open"] }, { limit: 20 })));
  }
  const { p50, p99, p999 } = ready.sum();
  const walked = walk.sum();
  return table(
    [`${beads} beads, ${ledger.ready(1).total} of them ready`, "p50 ms", "p99 ms", "p99.9 ms"],
    [
      ["ready, after a change each time", short(p50), short(p99), short(p999)],
      ["a walk over all open beads", short(walked.p50), short(walked.p99), ""],
      ["the first ready after opening", short(first), "", ""],
      ["opening the ledger", short(opening), "", ""],
      ["importing it", short(imported), "", ""],
    ],
  );
}

async function appends(folder: string, seconds: number): Promise<string> {
  await using ledger = await openLedger(join(folder, "appends"));
  const notes = "what is known of it so far ".repeat(4);
  const file = await open(join(folder, "raw"), "a");
  const bytes = Buffer.alloc(LINE_BYTES, "x");
  const write = async () => {
    await file.write(bytes, 0, bytes.length, null);
    await file.datasync();
  };
  const { id } = await ledger.create({ title: "a bead of the bench" });
  const change = async () => void (await ledger.update(id, { notes }));
  const [alone, together, raw] = [new Rate(), new Rate(), new Rate()];
  // Turn by turn: a disk that is slow for a while is slow for all of them.
  for (let turn = 0; turn < TURNS; turn += 1) {
    await alone.measure(seconds / TURNS, 1, change);
    await raw.measure(seconds / TURNS, 1, write);
    await together.measure(seconds / TURNS, WRITERS, change);
  }
  await file.close();
  const figures = [
    { name: "one after the other", value: alone.perSecond },
    { name: `${WRITERS} at once`, value: together.perSecond },
    { name: `${LINE_BYTES} bytes written and synced by hand, one after the other`, value: raw.perSecond },
  ] as const;
  const rows = figures.map(({ name, value }) => [name, short(value)]);
  const ratios = figures.slice(0, 2).map((ours) => ratioLine("durable appends", ours, figures[2]));
  return ["", table(["durable appends", "per s"], rows), ...ratios].join("\n");
}

/** How often something was done, over several measurements. */
class Rate {
  #count = 0;
  #ms = 0;

  get perSecond(): number {
    return (this.#count / this.#ms) * 1000;
  }

  async measure(seconds: number, writers: number, act: () => Promise<void>): Promise<void> {
    const began = performance.now();
    const until = began + seconds * 1000;
    const writer = async () => {
      for (; performance.now() < until; this.#count += 1) await act();
    };
    await Promise.all(Array.from({ length: writers }, writer));
    this.#ms += performance.now() - began;
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
