import type { AgentLedgers, Ledger } from "@nest/governor";
import type { RouteRegistry } from "@nest/http";
import { NestError, sentenceOf } from "@nest/kit";
import { type Bead, type BeadFilter, nestLedger } from "@nest/protocol";
import type { Visitor } from "../access/visitor.ts";
import { appendAudit } from "../backup/audit.ts";

type LedgerBead = nestLedger.LedgerBead;

export interface LedgerRoutesDeps {
  readonly ledgers: AgentLedgers;
  readonly dataFolder: string;
  readonly now: () => number;
}

/** Serves the work ledgers of all agents as one list, and lets people write in them. Each change is audited. */
export function serveLedger(routes: RouteRegistry<Visitor>, deps: LedgerRoutesDeps): void {
  const { ledgers, dataFolder, now } = deps;
  const wrote = async (actor: string, action: string, { agent, id }: LedgerBead, after: unknown) => {
    const at = new Date(now()).toISOString();
    await appendAudit(dataFolder, { at, actor, action, subject: `${agent} ${id}`, after });
  };
  routes.serve(nestLedger.beads, ({ query }) => listAll(ledgers, query));
  routes.serve(nestLedger.readyBeads, async ({ query: { agent, limit } }) => {
    const { open } = await openLedgers(ledgers, agent);
    const each = open.map(([name, ledger]) => ({ name, ledger, ready: ledger.ready(limit) }));
    const beads = each.flatMap(({ name, ledger, ready }) => ready.beads.map((bead) => shown(name, ledger, bead)));
    beads.sort((one, other) => one.priority - other.priority || one.created_at.localeCompare(other.created_at));
    return { beads: beads.slice(0, limit), total: each.reduce((sum, { ready }) => sum + ready.total, 0) };
  });
  routes.serve(nestLedger.createBead, async ({ params: { agent = "" }, actor, body }) => {
    const ledger = await ledgerOf(ledgers, agent);
    const bead = shown(agent, ledger, await ledger.create({ ...body, actor }));
    await wrote(actor, "bead created", bead, { title: bead.title });
    return { ok: true as const, bead };
  });
  routes.serve(nestLedger.updateBead, async ({ params: { agent = "", id = "" }, actor, body }) => {
    const ledger = await ledgerOf(ledgers, agent);
    const { if_status: ifStatus, depends_on: dependsOn, ...change } = body;
    if (dependsOn !== undefined) {
      const { depends_on: before } = ledger.show(id);
      const add = dependsOn.filter((other) => !before.includes(other));
      await ledger.depend(id, { add, remove: before.filter((other) => !dependsOn.includes(other)) });
    }
    const isChanged = Object.keys(change).length > 0;
    if (isChanged) await ledger.update(id, change, ifStatus === undefined ? undefined : [ifStatus]);
    const bead = shown(agent, ledger, ledger.show(id));
    await wrote(actor, "bead changed", bead, {
      ...change,
      ...(dependsOn === undefined ? {} : { depends_on: dependsOn }),
    });
    return { ok: true as const, bead };
  });
  routes.serve(nestLedger.closeBead, async ({ params: { agent = "", id = "" }, actor, body: { note } }) => {
    const ledger = await ledgerOf(ledgers, agent);
    const words = note?.trim() ?? "";
    const bead = shown(agent, ledger, await ledger.close(id, words === "" ? undefined : words));
    await wrote(actor, "bead closed", bead, words === "" ? {} : { note: words });
    return { ok: true as const, bead };
  });
}

interface Wanted extends BeadPaging {
  readonly agent?: string | undefined;
  readonly status?: Bead["status"] | undefined;
  readonly text?: string | undefined;
}

interface BeadPaging {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** One page of all ledgers together. Each ledger's own cursor is a place in the order that they share: newest first, then by id. */
async function listAll(ledgers: AgentLedgers, { agent, status, text, limit, cursor = "" }: Wanted) {
  const { open, unreadable } = await openLedgers(ledgers, agent);
  const filter: BeadFilter = {
    ...(status === undefined ? {} : { status: [status] }),
    ...(text === undefined || text === "" ? {} : { text }),
  };
  const page = { limit, ...(cursor === "" ? {} : { cursor }) };
  const pages = open.map(([name, ledger]) => ({ name, ledger, page: ledger.list(filter, page) }));
  const found = pages.flatMap(({ name, ledger, page: { beads } }) => beads.map((bead) => shown(name, ledger, bead)));
  found.sort((one, other) => placeOf(other) - placeOf(one) || (one.id < other.id ? -1 : 1));
  const beads = found.slice(0, limit);
  const last = beads.at(-1);
  const isMore = found.length > limit || pages.some(({ page: { next } }) => next !== undefined);
  return {
    beads,
    ...(isMore && last !== undefined ? { next_cursor: `${placeOf(last)}.${last.id}` } : {}),
    agents: [...ledgers.agents],
    unreadable,
  };
}

function placeOf(bead: Bead): number {
  return Date.parse(bead.created_at) || 0;
}

/** The ledgers that can be read, read up to now. One that cannot be read hides none of the others. */
async function openLedgers(ledgers: AgentLedgers, agent: string | undefined) {
  const names = agent === undefined || agent === "" ? ledgers.agents : [known(ledgers, agent)];
  const open: [name: string, ledger: Ledger][] = [];
  const unreadable: { agent: string; reason: string }[] = [];
  for (const name of names) {
    try {
      const ledger = await ledgers.of(name);
      await ledger.refresh();
      open.push([name, ledger]);
    } catch (thrown) {
      if (!(thrown instanceof NestError)) throw thrown;
      unreadable.push({ agent: name, reason: sentenceOf(thrown) });
    }
  }
  return { open, unreadable };
}

async function ledgerOf(ledgers: AgentLedgers, agent: string): Promise<Ledger> {
  const ledger = await ledgers.of(known(ledgers, agent));
  await ledger.refresh();
  return ledger;
}

/** The name of an agent that there is: no other becomes part of a path. */
function known(ledgers: AgentLedgers, agent: string): string {
  if (ledgers.agents.includes(agent)) return agent;
  throw new NestError("agent_not_found", "there is no such agent");
}

function shown(agent: string, ledger: Ledger, bead: Bead): LedgerBead {
  const waits = ledger.waits(bead.id);
  return { ...bead, agent, waits_for: [...waits.for], waited_for_by: [...waits.by] };
}
