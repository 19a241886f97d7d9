import { createHmac, randomUUID } from "node:crypto";
import { Secret } from "@nest/kit";
import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";

const SECRET = "webhook-secret-of-the-tests";

function start() {
  return TestHub.start({ issues: 1, config: { webhookSecret: new Secret(SECRET) } });
}

function headers(body: string, changes: Record<string, string> = {}): Record<string, string> {
  return {
    "x-github-event": "issues",
    "x-github-delivery": randomUUID(),
    "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`,
    "content-type": "application/json",
    ...changes,
  };
}

const BODY = JSON.stringify({ action: "opened", repository: { full_name: "Acme/One" } });

async function settled(hub: TestHub): Promise<void> {
  await hub.clock.advance(1000);
  await hub.hub.monitor.refresh();
}

test("a signed webhook has its repository read within a second", async () => {
  await using hub = await start();
  hub.codeHost.setIssue({ repo: "acme/one", number: 2 });
  const answer = await hub.call("POST", "/api/github/webhook", BODY, headers(BODY));
  expect(answer).toMatchObject({ status: 202, body: { ok: true, refreshing: ["Acme/One"] } });
  await hub.clock.advance(1000);
  for (let turn = 0; turn < 100 && (await hub.actionable()) < 2; turn += 1);
  expect(await hub.actionable()).toBe(2);
});

test.each([
  ["without a signature", { "x-hub-signature-256": "" }],
  ["with a signature of something else", { "x-hub-signature-256": `sha256=${"0".repeat(64)}` }],
  ["with a signature of the old kind only", { "x-hub-signature-256": "", "x-hub-signature": "sha1=00" }],
])("a forged webhook, %s, is refused and changes nothing", async (_name, changes) => {
  await using hub = await start();
  const answer = await hub.call("POST", "/api/github/webhook", BODY, headers(BODY, changes));
  expect(answer).toMatchObject({ status: 401, body: { code: "invalid_webhook" } });
});

test("a body changed on the way is refused", async () => {
  await using hub = await start();
  const answer = await hub.call("POST", "/api/github/webhook", `${BODY} `, headers(BODY));
  expect(answer.status).toBe(401);
});

test("a replayed delivery is refused, after a restart too", async () => {
  await using hub = await start();
  const sent = headers(BODY);
  expect((await hub.call("POST", "/api/github/webhook", BODY, sent)).status).toBe(202);
  expect((await hub.call("POST", "/api/github/webhook", BODY, sent)).status).toBe(409);
  await hub.restart();
  expect((await hub.call("POST", "/api/github/webhook", BODY, sent)).status).toBe(409);
});

test("a replayed delivery is refused under another delivery id too: the id is not signed", async () => {
  await using hub = await start();
  expect((await hub.call("POST", "/api/github/webhook", BODY, headers(BODY))).status).toBe(202);
  expect((await hub.call("POST", "/api/github/webhook", BODY, headers(BODY))).status).toBe(409);
});

test("of two identical deliveries at the same time only one is accepted", async () => {
  await using hub = await start();
  const sent = headers(BODY);
  const both = await Promise.all([1, 2].map(() => hub.call("POST", "/api/github/webhook", BODY, sent)));
  expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
});

test.each([
  ["of a repository that is not monitored", JSON.stringify({ repository: { full_name: "other/one" } }), {}, 202],
  ["of an event that changes nothing here", BODY, { "x-github-event": "star" }, 202],
  ["of an installation", "{}", { "x-github-event": "installation_repositories" }, 202],
  ["without a delivery id", BODY, { "x-github-delivery": "" }, 400],
  ["that is no JSON", "{", {}, 400],
  ["that is a list", "[]", {}, 400],
])("a signed webhook %s does no harm", async (_name, body, changes, status) => {
  await using hub = await start();
  expect((await hub.call("POST", "/api/github/webhook", body, headers(body, changes))).status).toBe(status);
  await settled(hub);
});

test("webhooks sent as a form are accepted", async () => {
  await using hub = await start();
  const form = new URLSearchParams({ payload: BODY }).toString();
  const answer = await hub.call(
    "POST",
    "/api/github/webhook",
    form,
    headers(form, { "content-type": "application/x-www-form-urlencoded" }),
  );
  expect(answer).toMatchObject({ status: 202, body: { refreshing: ["Acme/One"] } });
});

test("a hub without a webhook secret refuses every webhook", async () => {
  await using hub = await TestHub.start();
  expect((await hub.call("POST", "/api/github/webhook", BODY, headers(BODY))).status).toBe(401);
});

test("a repository that turned private is hidden as soon as the webhook says so", async () => {
  await using hub = await start();
  hub.codeHost.privateRepositories.add("acme/one");
  await hub.call("POST", "/api/github/webhook", BODY, headers(BODY, { "x-github-event": "repository" }));
  await settled(hub);
  expect((await hub.call("GET", "/api/contribute/queue")).body).toMatchObject({ queue: [], hidden: 1 });
});
