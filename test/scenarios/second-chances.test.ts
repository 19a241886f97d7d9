import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { RawRelay } from "../harness/raw-relay.ts";

const MINUTE = 60_000;

test("somebody who was revoked gets access again as a newcomer; the reason is audited, and told to them and to their relays", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const ada = await hub.relay("ada");
  await hub.admin("PUT", "/api/contributors/ada/trust", { tier: "trusted" });
  await hub.admin("POST", "/api/contributors/ada/revoke");
  await ada.closed;
  expect((await hub.admin("POST", "/api/contributors/ada/unrevoke", { reason: "  " })).status).toBe(400);
  const reason = "it was another\naccount";
  expect(await hub.admin("POST", "/api/contributors/ada/unrevoke", { reason })).toMatchObject({
    body: { trust_tier: "newcomer" },
  });
  const again = await RawRelay.join(hub.socket, ada.token);
  expect((await again.ready()).number).toBe(1);
  expect((await hub.admin("GET", "/api/audit?q=access+restored")).body).toMatchObject({
    audit: [{ action: "access restored", subject: "ada", before: "revoked", after: "it was another account" }],
  });
  const me = await hub.call("GET", "/api/contribute/me", undefined, { authorization: `Bearer ${ada.token}` });
  expect(me.body).toMatchObject({
    contributor: { trust_tier: "newcomer" },
    messages: [{ text: "your access was restored: it was another account" }],
  });
  expect((await hub.admin("POST", "/api/contributors/ada/unrevoke", { reason })).status).toBe(409);
  expect((await hub.call("POST", "/api/contributors/ada/unrevoke", { reason })).status).toBe(401);
});

test("access that is given again promotes nobody by what was done before", async () => {
  await using hub = await TestHub.start({ issues: 1, contribute: { contribute_contributor_at: 1 } });
  await hub.relay("ada");
  await hub.admin("PUT", "/api/contributors/ada/trust", { tier: "trusted" });
  await hub.admin("POST", "/api/contributors/ada/revoke");
  await hub.restart();
  await hub.admin("POST", "/api/contributors/ada/unrevoke", { reason: "a mistake" });
  await hub.restart();
  expect((await hub.admin("GET", "/api/contributors/ada")).body).toMatchObject({
    contributor: { trust_tier: "newcomer" },
  });
});

test("the pause after quick failures is ended: the relay is told, and gets work without asking again", async () => {
  await using hub = await TestHub.start({ issues: 5 });
  const capabilities = { relay_capabilities: ["task_ack", "task_push"] };
  const ada = await hub.relay("ada", { capabilities });
  await hub.admin("PUT", "/api/contributors/ada/trust", { tier: "trusted" });
  await ada.next("notice");
  for (let nth = 0; nth < 3; nth += 1) {
    const { task_id, task_gen } = await ada.ready();
    ada.send({ type: "task_accepted", task_id, task_gen });
    ada.send({ type: "task_failed", task_id, task_gen, reason: "no" });
    await ada.next("task_ack");
  }
  ada.send({ type: "ready" });
  expect((await ada.next("task_unavailable")).reason).toBe("contributor_failure_streak");
  expect((await hub.admin("POST", "/api/contributors/ada/end-failure-pause")).status).toBe(200);
  expect((await ada.next("notice")).message).toMatch(/writes: the pause after your failures was ended$/);
  expect((await ada.next("task_assign")).number).toBe(4);
  expect((await hub.admin("GET", "/api/contributors/ada")).body).not.toHaveProperty("contributor.paused_until");
  expect((await hub.admin("GET", "/api/audit?q=failure+pause")).body).toMatchObject({
    audit: [{ action: "failure pause ended", subject: "ada" }],
  });
  expect((await hub.admin("POST", "/api/contributors/ada/end-failure-pause")).status).toBe(409);
});

test("a message reaches the relay that has the task and no other, and all relays when it is about none; it is one line of text, shown to its contributor alone", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const laptop = await hub.relay("ada", { session: "laptop" });
  const tower = await RawRelay.join(hub.socket, laptop.token, { session: "tower" });
  const bob = await hub.relay("bob");
  const { task_id } = await laptop.ready();
  const write = (body: object) => hub.admin("POST", "/api/contributors/ada/message", body);
  await write({ text: "please \u001b[31mstop\u001b[0m\nrunning\u202e the tests twice", task_id });
  const first = (await laptop.next("notice")).message ?? "";
  expect(first).toMatch(/^\S+ writes: please stop running the tests twice$/);
  expect(await tower.pending("notice")).toEqual([]);
  await write({ text: "thank you" });
  for (const relay of [laptop, tower]) expect((await relay.next("notice")).message).toMatch(/: thank you$/);
  expect(await bob.pending("notice")).toEqual([]);
  const mine = async (token: string) =>
    (await hub.call("GET", "/api/contribute/me", undefined, { authorization: `Bearer ${token}` })).body;
  expect(await mine(laptop.token)).toMatchObject({ messages: [{ text: "thank you" }, { task_id }] });
  expect(await mine(bob.token)).toMatchObject({ messages: [] });
  expect((await write({ text: "x".repeat(501) })).status).toBe(400);
  expect((await write({ text: " " })).status).toBe(400);
  const theirs = { authorization: `Bearer ${bob.token}` };
  expect((await hub.call("POST", "/api/contributors/ada/message", { text: "hi" }, theirs)).status).toBe(403);
  await hub.clock.jump(31 * 24 * 60 * MINUTE);
  expect(await mine(laptop.token)).toMatchObject({ messages: [] });
});

test("access and the end of a pause are given in one transaction with the word of them: a crash leaves both or neither", async () => {
  await using hub = await TestHub.start({ issues: 5 });
  const ada = await hub.relay("ada");
  for (let nth = 0; nth < 3; nth += 1) {
    const { task_id, task_gen } = await ada.ready();
    ada.send({ type: "task_accepted", task_id, task_gen });
    ada.send({ type: "task_failed", task_id, task_gen, reason: "no" });
    await ada.next("task_ack");
  }
  const written: [contributors: number, messages: number][] = [];
  hub.hub.batcher.listen({
    changed: ({ contributors, settings }) => written.push([contributors.size, settings.size]),
  });
  expect((await hub.admin("POST", "/api/contributors/ada/end-failure-pause")).status).toBe(200);
  await hub.admin("POST", "/api/contributors/ada/revoke");
  await hub.admin("POST", "/api/contributors/ada/unrevoke", { reason: "a mistake" });
  expect(written).toEqual([
    [1, 1],
    [1, 0],
    [1, 1],
  ]);
});
