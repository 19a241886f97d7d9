import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { of, RawRelay } from "../harness/raw-relay.ts";

test("promotion and demotion by an admin hold at once on a live socket", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  const relay = await hub.relay("alice");
  const trust = (tier: string) => hub.admin("PUT", `/api/contributors/${relay.contributorId}/trust`, { tier });
  expect((await trust("trusted")).body).toEqual({ ok: true, trust_tier: "trusted" });
  expect((await relay.next("notice")).message).toBe("your trust tier is now trusted");
  for (let nth = 0; nth < 4; nth += 1) {
    const task = await relay.ready();
    relay.send({ type: "task_complete", ...of(task), result: "completed" });
    await relay.next("task_ack");
  }
  await trust("newcomer");
  expect((await relay.refused()).reason).toBe("hourly_limit");
});

test("a demotion narrows the credential of the task in hand and takes the old one back", async () => {
  await using hub = await TestHub.start({ issues: 2, kind: "app" });
  const relay = await hub.relay("alice");
  await hub.admin("PUT", "/api/contributors/alice/trust", { tier: "trusted" });
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  const { github_token: wide } = await relay.next("token_refresh");
  await hub.admin("PUT", "/api/contributors/alice/trust", { tier: "newcomer" });
  const { github_token: narrow } = await relay.next("token_refresh");
  expect(hub.codeHost.credentials.get(narrow)?.permissions).not.toHaveProperty("contents");
  expect(hub.codeHost.credentials.has(wide)).toBe(false);
});

test("a revoked contributor is cut off at once, loses the held task, and cannot reconnect, reissue or register again", async () => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("alice");
  const task = await relay.ready();
  expect((await hub.admin("POST", "/api/contributors/alice/revoke")).body).toEqual({ ok: true });
  expect((await relay.next("task_revoke")).task_id).toBe(task.task_id);
  expect((await relay.closed).code).toBe(1008);
  const again = new RawRelay(hub.socket);
  await again.next("auth_challenge");
  again.send({ type: "auth_response", registration_token: relay.token, cli_backend: "claude", model: "" });
  expect((await again.next("auth_failed")).reason).toBe("access revoked");
  expect((await hub.call("POST", "/api/contribute/register", { github_username: "ALICE" })).status).toBe(403);
  expect((await hub.admin("PUT", "/api/contributors/alice/trust", { tier: "trusted" })).status).toBe(409);
});

test("a contributor and admins can read that contributor's history, newest first, page by page", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const relay = await hub.relay("alice");
  for (let nth = 0; nth < 3; nth += 1) {
    const task = await relay.ready();
    relay.send({ type: "task_accepted", ...of(task) });
    relay.send({ type: "task_failed", ...of(task), reason: `reason ${nth}`, failure_kind: "task" });
    await relay.next("task_ack");
    await hub.clock.jump(60_001);
  }
  interface Page {
    contributor: object;
    history: { reason: string; outcome: string }[];
    next_cursor?: string;
  }
  const first = (await hub.admin("GET", "/api/contributors/Alice?limit=2")).body as Page;
  expect(first.contributor).toMatchObject({ github_username: "alice", total_tasks_failed: 3, agent_role_grants: [] });
  expect(first.history.map(({ reason }) => reason)).toEqual(["reason 2", "reason 1"]);
  const next = `/api/contributors/${relay.contributorId}?limit=2&cursor=${first.next_cursor}`;
  const second = (await hub.admin("GET", next)).body as Page;
  expect(second.history.map(({ reason }) => reason)).toEqual(["reason 0"]);
  expect(second.next_cursor).toBeUndefined();
  expect((await hub.call("GET", "/api/contributors/alice")).status).toBe(401);
  expect((await hub.admin("GET", "/api/contributors/nobody")).status).toBe(404);
  expect(JSON.stringify(first)).not.toContain(relay.token);
});

test("a contributor can read their own limits and usage with their registration token", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  const relay = await hub.relay("alice");
  for (let nth = 0; nth < 3; nth += 1) {
    const task = await relay.ready();
    relay.send({ type: "task_complete", ...of(task), result: "completed" });
    await relay.next("task_ack");
  }
  const limits = async () =>
    (await hub.call("GET", "/api/contribute/limits", undefined, { authorization: `Bearer ${relay.token}` })).body as {
      you?: Record<string, unknown>;
      tiers: object[];
    };
  expect((await limits()).you).toMatchObject({
    username: "alice",
    tier: "newcomer",
    used_hour: 3,
    used_day: 3,
    max_per_hour: 3,
    hour_frees_at: new Date(hub.clock.now() + 3_600_000).toISOString(),
    tasks_completed: 3,
    tasks_verified: 0,
    next_tier: { tier: "contributor", missing: 5 },
  });
  await hub.restart();
  await hub.clock.jump(3_600_000);
  expect((await limits()).you).toMatchObject({ used_hour: 0, used_day: 3 });
  expect((await hub.call("GET", "/api/contribute/limits")).body as object).not.toHaveProperty("you");
});

test("registration from one address is limited where a login has to be proven", async () => {
  await using hub = await TestHub.start({ contribute: { open_registration: false } });
  const tries = async () => (await hub.call("POST", "/api/contribute/register", { github_username: "alice" })).status;
  const statuses: number[] = [];
  for (let nth = 0; nth < 31; nth += 1) statuses.push(await tries());
  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401));
  const last = await hub.call("POST", "/api/contribute/reissue-token");
  expect(statuses[30]).toBe(429);
  expect(last.status).toBe(429);
  expect(Number(last.headers.get("retry-after"))).toBe(60);
  await hub.clock.jump(60_000);
  expect(await tries()).toBe(401);
});

test("an address that keeps sending invalid tokens has to wait, on sockets as on HTTP", async () => {
  await using hub = await TestHub.start();
  const guess = () => hub.call("GET", "/api/audit", undefined, { authorization: "Bearer guess" });
  for (let nth = 0; nth < 100; nth += 1) expect((await guess()).status).toBe(401);
  expect((await guess()).status).toBe(429);
  const relay = new RawRelay(hub.socket);
  expect((await relay.closed).code).toBe(1006);
  expect((await hub.admin("GET", "/api/audit")).status).toBe(200);
  await hub.clock.jump(60_000);
  const later = new RawRelay(hub.socket);
  expect((await later.next("auth_challenge")).type).toBe("auth_challenge");
});

test("contributors can be looked for by part of a login and by tier", async () => {
  await using hub = await TestHub.start();
  for (const login of ["anna", "annabel", "bob"]) {
    await hub.register(login);
    await hub.clock.jump(1);
  }
  await hub.admin("PUT", "/api/contributors/annabel/trust", { tier: "merger" });
  const logins = async (query: string) =>
    (
      (await hub.admin("GET", `/api/contributors?${query}`)).body as { contributors: { github_username: string }[] }
    ).contributors.map(({ github_username: login }) => login);
  expect(await logins("q=NNA")).toEqual(["anna", "annabel"]);
  expect(await logins("tier=merger")).toEqual(["annabel"]);
  expect(await logins("limit=1")).toEqual(["anna"]);
});
