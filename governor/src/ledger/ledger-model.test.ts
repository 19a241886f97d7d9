import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NestError, seededRandom, VirtualClock } from "@nest/kit";
import type { Bead, BeadStatus } from "@nest/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Ledger } from "./ledger.ts";

/** A bead by its number in the order of creation. */
const nth = fc.nat(9);
const aStatus = fc.constantFrom<BeadStatus>("open", "in_progress", "blocked", "done", "closed");
const anAct = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant("create" as const), on: fc.array(nth, { maxLength: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("status" as const), at: nth, status: aStatus }) },
  fc.record({ act: fc.constant("take" as const), at: nth }),
  fc.record({ act: fc.constant("note" as const), at: nth }),
  { weight: 3, arbitrary: fc.record({ act: fc.constant("depend" as const), at: nth, on: nth }) },
  fc.record({ act: fc.constant("free" as const), at: nth, on: nth }),
  fc.record({ act: fc.constant("compact" as const) }),
  fc.record({ act: fc.constant("reopen" as const) }),
  fc.record({ act: fc.constant("import" as const) }),
);
type Act = typeof anAct extends fc.Arbitrary<infer Value> ? Value : never;

interface Model {
  status: BeadStatus;
  notes: string[];
  on: Set<number>;
}

/** Whether a bead waits, over however many others, for another. */
function waitsFor(model: readonly Model[], from: number, to: number): boolean {
  if (from === to) return true;
  return [...(model[from]?.on ?? [])].some((next) => waitsFor(model, next, to));
}

/** Does to the model what the specification says. Answers whether it is allowed. */
function applyToModel(model: Model[], act: Act): boolean {
  const bead = "at" in act ? model[act.at] : undefined;
  if ("at" in act && bead === undefined) return false;
  switch (act.act) {
    case "create":
      if (act.on.some((on) => model[on] === undefined)) return false;
      model.push({ status: "open", notes: [], on: new Set(act.on) });
      return true;
    case "status":
      if (bead !== undefined) bead.status = act.status;
      return true;
    case "take":
      if (bead?.status !== "open") return false;
      bead.status = "in_progress";
      return true;
    case "note":
      bead?.notes.push(`note ${bead.notes.length}`);
      return true;
    case "depend":
      if (model[act.on] === undefined || waitsFor(model, act.on, act.at)) return false;
      bead?.on.add(act.on);
      return true;
    case "free":
      bead?.on.delete(act.on);
      return true;
    default:
      return true;
  }
}

async function applyToLedger(ledger: Ledger, ids: string[], act: Act): Promise<unknown> {
  const idOf = (at: number) => ids[at] ?? "nest-nowhere";
  switch (act.act) {
    case "create":
      return ledger.create({ title: "x", depends_on: act.on.map(idOf) }).then(({ id }) => ids.push(id));
    case "status":
      return ledger.update(idOf(act.at), { status: act.status });
    case "take":
      return ledger.update(idOf(act.at), { status: "in_progress" }, ["open"]);
    case "note": {
      await ledger.refresh();
      const before = ledger.show(idOf(act.at)).notes;
      return ledger.remember(`note ${before === "" ? 0 : before.split("\n").length}`, idOf(act.at));
    }
    case "depend":
      return ledger.depend(idOf(act.at), { add: [idOf(act.on)] });
    case "free":
      return ledger.depend(idOf(act.at), { remove: [idOf(act.on)] });
    case "compact":
      return ledger.compact();
    default:
      return undefined;
  }
}

function seen(bead: Bead, ids: readonly string[]): Model {
  const notes = bead.notes === "" ? [] : bead.notes.split("\n");
  return { status: bead.status, notes, on: new Set(bead.depends_on.map((id) => ids.indexOf(id))) };
}

test("whatever two processes do to a ledger, both and whoever opens it see what the specification says", async () => {
  const clock = new VirtualClock();
  const random = seededRandom(77);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(1), anAct), { maxLength: 30 }), async (acts) => {
      const folder = await mkdtemp(join(tmpdir(), "nest-ledger-"));
      const open = () => Ledger.open({ folder, actor: "model", clock, random });
      const ledgers = [await open(), await open()];
      const [model, ids]: [Model[], string[]] = [[], []];
      for (const [which, act] of acts) {
        const ledger = ledgers[which];
        if (ledger === undefined) throw new Error("there are two");
        if (act.act === "reopen") {
          await ledger[Symbol.asyncDispose]();
          ledgers[which] = await open();
        } else if (act.act === "import")
          await ledger.import(`${[...ledger.export()].join("")}\n{"id":"x"}`).catch(onlyRefusals);
        else {
          const isAllowed = applyToModel(model, act);
          const went = await applyToLedger(ledger, ids, act).then(() => true, onlyRefusals);
          expect(went, JSON.stringify(act)).toBe(isAllowed);
        }
      }
      await using third = await open();
      for (const ledger of [...ledgers, third]) {
        await ledger.refresh();
        expect(ids.map((id) => seen(ledger.show(id), ids))).toEqual(model);
        expect(ledger.size).toBe(model.length);
        expect(ledger.problems.count).toBe(0);
      }
      await Promise.all(ledgers.map((ledger) => ledger[Symbol.asyncDispose]()));
      await rm(folder, { recursive: true });
    }),
    { numRuns: 60 },
  );
}, 120_000);

/** What the ledger refuses is an answer; anything else is a bug. */
function onlyRefusals(thrown: unknown): false {
  if (thrown instanceof NestError) return false;
  throw thrown;
}
