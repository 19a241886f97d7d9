import { NestError } from "@nest/kit";
import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { of, RawRelay } from "../harness/raw-relay.ts";

// Frames that are almost right: a relay that waits for an answer gets one, and nothing else happens.

const NO_LEASE = "no active lease for this task";

test.each<[string, object]>([
  ["a token that is a number", { registration_token: 7 }],
  ["no end of a token", { registration_token: "x".repeat(600) }],
  ["a proof that is a list", { contributor_id: "c-1", auth_proof: ["00"] }],
])("an auth_response with %s is answered with auth_failed and 1008 at once", async (_what, wrong) => {
  await using hub = await TestHub.start();
  const relay = new RawRelay(hub.socket);
  await relay.next("auth_challenge");
  relay.send({ type: "auth_response", cli_backend: "claude", model: "", ...wrong });
  expect((await relay.next("auth_failed")).reason).toMatch(/^malformed auth_response/);
  expect((await relay.closed).code).toBe(1008);
});

test.each<[string, object]>([
  ["a generation that is text", { task_gen: "1" }],
  ["a generation below zero", { task_gen: -1 }],
  ["a generation beyond 2^53 - 1", { task_gen: 2 ** 60 }],
  ["half a generation", { task_gen: 1.5 }],
  ["a number that is text", { number: "1" }],
  ["a repository that is a list", { repo: ["acme/one"] }],
])("a resume with %s is refused once, and the recorded lease is left alone", async (_what, wrong) => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  await relay.pending();
  await relay.drop();
  const back = await RawRelay.join(hub.socket, relay.token);
  const claim = { ...of(task), kind: "issue", repo: task.repo, number: task.number, ...wrong };
  back.send({ type: "task_accepted", ...claim });
  back.send({ type: "task_progress", ...claim });
  expect(await back.next("task_revoke")).toMatchObject({ task_id: task.task_id, reason: NO_LEASE });
  expect(await back.pending("task_revoke")).toEqual([]);
  expect(hub.hub.ledger.lease(task.task_id)).toBeDefined();
});

test("an unreadable progress report is dropped, and the task goes on", async () => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  await relay.pending();
  relay.send({ type: "task_progress", task_id: task.task_id, task_gen: "many" });
  expect(await relay.pending("task_revoke")).toEqual([]);
  relay.send({ type: "task_complete", ...of(task), result: "completed" });
  await relay.next("task_ack");
  expect(hub.hub.ledger.contributorByLogin("ada")?.completed).toBe(1);
});

interface Fleet {
  readonly clankers: readonly { readonly credential_failure?: object }[];
}

test("when a task's token cannot be made, the relay is told why once, and people see it until it can be made", async () => {
  await using hub = await TestHub.start({ issues: 2, kind: "app" });
  const relay = await hub.relay("ada");
  const failures = async () =>
    ((await hub.admin("GET", "/api/contribute/fleet")).body as Fleet).clankers.map((one) => one.credential_failure);
  const task = await relay.ready();
  hub.codeHost.failure = new NestError("codehost_refused", "the app may not write here\nat all");
  relay.send({ type: "task_accepted", ...of(task) });
  expect(await relay.next("token_refresh_failed")).toMatchObject({
    task_id: task.task_id,
    reason: "the app may not write here at all",
  });
  expect(await failures()).toEqual([
    expect.objectContaining({ task_id: task.task_id, reason: "the app may not write here at all" }),
  ]);
  await hub.clock.advance(90_000);
  expect(await relay.pending("token_refresh_failed")).toEqual([]);
  hub.codeHost.failure = undefined;
  await hub.clock.advance(30_000);
  await relay.next("token_refresh");
  expect(await failures()).toEqual([undefined]);
});

test("a failed token for a private repository is shown to its relay and to admins, not to everybody", async () => {
  await using hub = await TestHub.start({ issues: 2, kind: "app" });
  hub.codeHost.privateRepositories.add("acme/one");
  await hub.clock.jump(3_600_001);
  await hub.hub.monitor.refresh();
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  hub.codeHost.failure = new NestError("codehost_refused", "no access to acme/one");
  relay.send({ type: "task_accepted", ...of(task) });
  await relay.next("token_refresh_failed");
  expect(JSON.stringify((await hub.call("GET", "/api/contribute/fleet")).body)).not.toContain("acme/one");
  expect(JSON.stringify((await hub.admin("GET", "/api/contribute/fleet")).body)).toContain("no access to acme/one");
});

test("the token of a task is revoked at once when its relay gives the task back by a ready", async () => {
  await using hub = await TestHub.start({ issues: 2, kind: "app" });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  const { github_token: token } = await relay.next("token_refresh");
  await relay.ready();
  await expect.poll(() => hub.codeHost.credentials.has(token)).toBe(false);
  await hub.clock.advance(3_600_000);
  expect(await relay.pending("token_refresh")).toEqual([]);
});
