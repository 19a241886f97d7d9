import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import type { RawRelay } from "../harness/raw-relay.ts";

// A relay that fails, or reports "blocked", makes issues wait for hours or days. People can offer them again.

const MINUTE = 60_000;
const UNLIMITED = { tier_limits: { newcomer: { max_per_hour: 0, max_per_day: 0 } } };
const LIFT = "/api/contribute/queue/lift";

async function quarantine(relay: RawRelay): Promise<number> {
  const { task_id, task_gen, number } = await relay.ready();
  relay.send({ type: "task_accepted", task_id, task_gen });
  relay.send({ type: "task_failed", task_id, task_gen, reason: "no", failure_kind: "environment", permanent: true });
  await relay.next("task_ack");
  return number;
}

async function block(relay: RawRelay): Promise<number> {
  const { task_id, task_gen, number } = await relay.ready();
  relay.send({ type: "task_accepted", task_id, task_gen });
  relay.send({
    type: "task_complete",
    task_id,
    task_gen,
    result: "completed",
    verdict: "blocked",
    verdict_reason: "?",
  });
  await relay.next("task_ack");
  return number;
}

test("an operator ends one quarantine, then all of them; each is audited, and what failed before is forgotten", async () => {
  await using hub = await TestHub.start({ issues: 4, contribute: UNLIMITED });
  const numbers = [];
  for (const login of ["one", "two", "three"]) numbers.push(await quarantine(await hub.relay(login)));
  const [first, second, third] = numbers as [number, number, number];
  expect(numbers.map((number) => hub.withheld(number))).toEqual(["quarantined", "quarantined", "quarantined"]);

  const one = await hub.admin("POST", LIFT, { keys: [`ACME/one#${first}`] });
  expect(one.body).toEqual({ ok: true, lifted: [`acme/one#${first}`] });
  expect(hub.withheld(first)).toBeUndefined();
  expect(hub.hub.ledger.item(`acme/one#${first}`)?.failures).toBe(0);
  expect(hub.withheld(second)).toBe("quarantined");

  const rest = (await hub.admin("POST", LIFT, { reasons: ["quarantined"] })).body as { lifted: string[] };
  expect(rest.lifted.sort()).toEqual([second, third].map((number) => `acme/one#${number}`).sort());
  expect(await hub.actionable()).toBe(4);
  const { audit } = (await hub.admin("GET", "/api/audit")).body as { audit: object[] };
  expect(audit.slice(0, 3)).toEqual(
    Array.from({ length: 3 }, () => expect.objectContaining({ action: "wait ended", before: "quarantined" })),
  );
  await hub.restart();
  expect(await hub.actionable()).toBe(4);
});

test("reasons narrow the selected issues, an operator's own hold is ended the same way, and running tasks go on", async () => {
  await using hub = await TestHub.start({ issues: 3, contribute: UNLIMITED });
  const relay = await hub.relay("ada");
  const failed = await quarantine(relay);
  const task = await relay.ready();
  const held = [1, 2, 3].find((number) => number !== failed && number !== task.number) as number;
  await hub.admin("POST", "/api/contribute/queue/hold", { key: `acme/one#${held}`, held: true });
  const keys = [failed, held, task.number].map((number) => `acme/one#${number}`);
  expect((await hub.admin("POST", LIFT, { keys, reasons: ["operator_hold"] })).body).toEqual({
    ok: true,
    lifted: [`acme/one#${held}`],
  });
  expect([failed, held, task.number].map((number) => hub.withheld(number))).toEqual([
    "quarantined",
    undefined,
    "leased",
  ]);
});

test("only operators can do that, and invalid requests are refused", async () => {
  await using hub = await TestHub.start({ issues: 1, contribute: UNLIMITED });
  const relay = await hub.relay("mallory");
  const number = await quarantine(relay);
  const body = { keys: [`acme/one#${number}`] };
  expect((await hub.call("POST", LIFT, body)).status).toBe(401);
  expect((await hub.call("POST", LIFT, body, { authorization: `Bearer ${relay.token}` })).status).toBe(403);
  for (const wrong of [
    {},
    { reasons: ["leased"] },
    { keys: [] },
    { keys: ["no issue"] },
    { keys: body.keys, all: true },
  ])
    expect((await hub.admin("POST", LIFT, wrong)).status).toBe(400);
  expect(hub.withheld(number)).toBe("quarantined");
});

test.each<[string, object, boolean]>([
  ["somebody of the repository", { author: "maintainer", authorBelongs: true }, true],
  ["the issue's author", { author: "someone" }, true],
  ["a passer-by", { author: "passer-by" }, false],
  ["the app", { author: "nest[bot]", authorIsApp: true, authorBelongs: true }, false],
  ["the contributor whose agent was blocked", { author: "mallory", authorBelongs: true }, false],
])("a comment of %s on a blocked issue: it comes back %o", async (_whose, comment, comesBack) => {
  await using hub = await TestHub.start({ issues: 1, kind: "app" });
  const number = await block(await hub.relay("mallory"));
  await hub.hub.monitor.refresh();
  expect(hub.withheld(number)).toBe("blocked");
  await hub.clock.advance(1000);
  hub.codeHost.addComment("acme/one", number, comment);
  await hub.hub.monitor.refresh();
  expect(hub.withheld(number)).toBe(comesBack ? undefined : "blocked");
});

test("an edit of a blocked issue brings it back, even one made while the hub was down", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const first = await block(await hub.relay("ada"));
  const second = await block(await hub.relay("bob"));
  const edit = (number: number, changes: object) =>
    hub.codeHost.setIssue({ repo: "acme/one", number, updatedAt: hub.clock.now() + MINUTE, ...changes });
  edit(first, { labels: ["bug"] });
  await hub.hub.monitor.refresh();
  expect(hub.withheld(first)).toBe("blocked");
  edit(first, { body: "Use the second table." });
  await hub.hub.monitor.refresh();
  expect(hub.withheld(first)).toBeUndefined();
  await hub.hub.stop();
  edit(second, { title: "Rather this" });
  await hub.boot();
  expect(hub.withheld(second)).toBeUndefined();
  const { audit } = (await hub.admin("GET", "/api/audit")).body as { audit: object[] };
  expect(audit[0]).toMatchObject({ actor: "code-host", action: "wait ended", after: "the issue was edited" });
});

test("comments that cannot be read leave the issue blocked and the repository served", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const number = await block(await hub.relay("ada"));
  await hub.clock.advance(1000);
  hub.codeHost.addComment("acme/one", number, { author: "maintainer", authorBelongs: true });
  const read = hub.codeHost.issueComments.bind(hub.codeHost);
  hub.codeHost.issueComments = () => Promise.reject(new Error("no right to read comments"));
  expect((await hub.hub.monitor.refresh()).failed).toEqual([]);
  expect(hub.withheld(number)).toBe("blocked");
  await (await hub.relay("bob")).ready();
  hub.codeHost.issueComments = read;
  await hub.hub.monitor.refresh();
  expect(hub.withheld(number)).toBeUndefined();
});

test("an issue that is blocked a second time waits for a new comment", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const number = await block(relay);
  await hub.clock.advance(2 * MINUTE);
  hub.codeHost.addComment("acme/one", number, { author: "maintainer", authorBelongs: true });
  await hub.hub.monitor.refresh();
  expect(hub.withheld(number)).toBeUndefined();
  await hub.clock.advance(2 * MINUTE);
  await block(relay);
  await hub.hub.monitor.refresh();
  expect(hub.withheld(number)).toBe("blocked");
});
