import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { RawRelay } from "../harness/raw-relay.ts";

async function connect(hub: TestHub, token: string, model: string) {
  const relay = new RawRelay(hub.socket);
  await relay.next("auth_challenge");
  relay.send({ type: "auth_response", registration_token: token, cli_backend: "claude", model });
  return relay;
}

test.each([
  ["claude-opus-4", true],
  ["CLAUDE-Sonnet", true],
  ["gpt-5-codex", true],
  ["gpt-5", false],
  ["", false],
])("with reject-unknown on, the model %j is accepted at connect: %s", async (model, accepted) => {
  await using hub = await TestHub.start({
    contribute: { contribute_allow_models: ["claude-*", "/^gpt-.*codex$/"], contribute_reject_unknown_models: true },
  });
  const { registration_token: token } = await hub.register("alice");
  const relay = await connect(hub, token, model);
  if (accepted) {
    expect((await relay.next("auth_ok")).trust_tier).toBe("newcomer");
    return;
  }
  const refusal = await relay.next("auth_failed");
  expect(refusal.accepted_models).toEqual(["claude-*", "/^gpt-.*codex$/"]);
  expect(refusal.reason).toContain("claude-*");
  expect((await relay.closed).code).toBe(1008);
});

test("a relay refused for its model is told the accepted models, however many, and disconnected", async () => {
  const long = Array.from({ length: 100 }, (_, at) => `größe-${at}-*`);
  await using hub = await TestHub.start({
    contribute: { contribute_allow_models: long, contribute_reject_unknown_models: true },
  });
  const { registration_token: token } = await hub.register("alice");
  const relay = await connect(hub, token, "gpt-5");
  expect((await relay.next("auth_failed")).accepted_models).toEqual(long);
  expect((await relay.closed).code).toBe(1008);
});

test("a list of costly patterns is applied at connect like any other", async () => {
  const costly = Array.from({ length: 20 }, (_, at) => `/(?:a?){${120 + at}}$b/`);
  await using hub = await TestHub.start({
    contribute: { contribute_allow_models: [...costly, "claude-*"], contribute_reject_unknown_models: true },
  });
  const { registration_token: token } = await hub.register("alice");
  expect((await (await connect(hub, token, "a".repeat(60))).next("auth_failed")).reason).toContain("not accepted");
  expect((await (await connect(hub, token, "claude-opus")).next("auth_ok")).type).toBe("auth_ok");
});

test.each([
  ["an empty list accepts all models", { contribute_allow_models: [], contribute_reject_unknown_models: true }],
  ["without reject-unknown a list refuses nobody", { contribute_allow_models: ["claude-*"] }],
])("%s", async (_name, contribute) => {
  await using hub = await TestHub.start({ contribute });
  const { registration_token: token } = await hub.register("alice");
  expect((await (await connect(hub, token, "anything")).next("auth_ok")).type).toBe("auth_ok");
});

test("the model filter applies at connect: agents mid-task are unaffected by a change, the next connect is not", async () => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("alice", { model: "gpt-5" });
  const task = await relay.ready();
  await hub.admin("PUT", "/api/config/governor/hub", {
    contribute_allow_models: ["claude-*"],
    contribute_reject_unknown_models: true,
  });
  const { task_id, task_gen } = task;
  relay.send({ type: "task_accepted", task_id, task_gen });
  relay.send({ type: "task_complete", task_id, task_gen, result: "completed" });
  expect((await relay.next("task_ack")).task_id).toBe(task_id);
  await relay.drop();
  expect((await (await connect(hub, relay.token, "gpt-5")).next("auth_failed")).accepted_models).toEqual(["claude-*"]);
});

test("a preview of the model list tells which connected relays it would match", async () => {
  await using hub = await TestHub.start();
  await hub.relay("alice", { model: "gpt-5" });
  await hub.relay("bob", { model: "claude-opus" });
  const { body } = await hub.admin("POST", "/api/config/governor/preview", {
    key: "contribute_allow_models",
    patterns: ["claude-*"],
  });
  expect(body).toMatchObject({ of: 2, matched: 1, matches: [{ subject: "claude-opus", title: "bob" }] });
});
