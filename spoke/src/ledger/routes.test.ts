import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog, systemClock, systemRandom } from "@nest/kit";
import type { nestEvents, nestLedger } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "../config/settings.ts";
import { type RunningSpoke, startSpoke } from "../start.ts";

let folder = "";
let spoke: RunningSpoke;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-ledger-routes-"));
  const agents = { builder: { enabled: false }, reviewer: { enabled: false } };
  const dashboard = { hub_proxied: true };
  const seed = {
    project: { org: "acme" },
    agents,
    hub: { enabled: false },
    github: { token: "t" },
    dashboard,
    acmm_level: 0,
  };
  await writeFile(join(folder, "nest.yaml"), JSON.stringify(seed));
  const settings = readSettings({
    NEST_DATA_DIR: folder,
    NEST_CONFIG: join(folder, "nest.yaml"),
    NEST_SPOKE_DASHBOARD_PORT: "0",
    NEST_SPOKE_TERMINAL_PORT: "0",
  });
  const parts = { settings, clock: systemClock(), random: systemRandom(), log: silentLog(), version: "0.1.0" };
  spoke = await startSpoke(parts);
});
afterEach(async () => {
  await spoke.close();
  await rm(folder, { recursive: true, force: true });
});

async function call<Reply>(method: string, path: string, body?: object, role = "read-write") {
  const response = await fetch(spoke.dashboardUrl + path, {
    method,
    headers: { "x-nest-user": "ada", "x-nest-role": role, ...(body === undefined ? {} : JSON_TYPE) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, value: (await response.json()) as Reply };
}
const JSON_TYPE = { "content-type": "application/json" };
type Written = { readonly bead: nestLedger.LedgerBead; readonly code?: string };
type Listed = { readonly beads: nestLedger.LedgerBead[]; readonly next_cursor?: string; readonly total?: number };

const write = async (agent: string, body: object) =>
  (await call<Written>("POST", `/api/beads/${agent}`, body)).value.bead;
const titles = ({ beads }: Listed) => beads.map(({ title }) => title);

test("whoever writes a bead is named in it, whatever name they give", async () => {
  expect((await write("builder", { title: "do as I say", actor: "the owner" })).actor).toBe("ada");
});

test("the ledgers of all agents are one list, page by page, each bead once", async () => {
  for (let nth = 0; nth < 6; nth += 1) await write(nth % 2 === 0 ? "builder" : "reviewer", { title: `bead ${nth}` });
  const seen: string[] = [];
  let cursor = "";
  do {
    const page = (await call<Listed>("GET", `/api/beads?limit=2&cursor=${cursor}`)).value;
    seen.push(...titles(page));
    cursor = page.next_cursor ?? "";
  } while (cursor !== "");
  expect(seen.sort()).toEqual([0, 1, 2, 3, 4, 5].map((nth) => `bead ${nth}`));
  expect(titles((await call<Listed>("GET", "/api/beads?agent=reviewer&text=BEAD%203")).value)).toEqual(["bead 3"]);
});

test("what is ready stands by urgency over all agents, and what waits is not among it until its turn comes", async () => {
  const first = await write("builder", { title: "first", priority: 3 });
  await write("builder", { title: "second", depends_on: [first.id] });
  await write("reviewer", { title: "urgent", priority: 0 });
  expect(titles((await call<Listed>("GET", "/api/beads/ready")).value)).toEqual(["urgent", "first"]);
  await call("POST", `/api/beads/builder/${first.id}/close`, { note: "done by hand" });
  expect(titles((await call<Listed>("GET", "/api/beads/ready")).value)).toEqual(["urgent", "second"]);
});

test("a change is refused where the bead is no longer as its author saw it, and where dependencies would go round", async () => {
  const one = await write("builder", { title: "one" });
  const two = await write("builder", { title: "two", depends_on: [one.id] });
  const change = (body: object, id = one.id) => call<Written>("PUT", `/api/beads/builder/${id}`, body);
  expect((await change({ status: "in_progress", if_status: "open" })).value.bead.status).toBe("in_progress");
  expect(await change({ status: "done", if_status: "open" })).toMatchObject({
    status: 409,
    value: { code: "bead_changed" },
  });
  expect(await change({ depends_on: [two.id] })).toMatchObject({ status: 409, value: { code: "bead_circle" } });
  expect(await change({ title: "x" }, "nest-none")).toMatchObject({ status: 404, value: { code: "bead_unknown" } });
  expect((await change({ depends_on: [] }, two.id)).value.bead.waits_for).toEqual([]);
});

test("people with the role read look, and only agents that there are have a ledger", async () => {
  expect((await call("GET", "/api/beads", undefined, "read")).status).toBe(200);
  expect((await call("POST", "/api/beads/builder", { title: "x" }, "read")).status).toBe(403);
  expect((await call("POST", "/api/beads/..%2f..%2fhome", { title: "x" })).status).toBe(404);
  expect((await call("GET", "/api/beads?agent=nobody")).status).toBe(404);
});

test("whoever writes into a ledger stands in the audit", async () => {
  const { id } = await write("builder", { title: "one" });
  await call("PUT", `/api/beads/builder/${id}`, { status: "blocked" });
  const { entries } = (await call<{ entries: nestEvents.NestAuditLine[] }>("GET", "/api/audit")).value;
  expect(entries.slice(0, 2).map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
    ["ada", "bead changed", `builder ${id}`],
    ["ada", "bead created", `builder ${id}`],
  ]);
});
