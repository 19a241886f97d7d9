import { createHmac } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { changeSetting } from "@nest/dispatch";
import { NestError } from "@nest/kit";
import type { alerts } from "@nest/protocol";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { TestHub } from "../harness/hub.ts";
import { NotificationReceivers } from "../harness/notification-receivers.ts";
import { of } from "../harness/raw-relay.ts";

const SECRET = "a-key-to-sign-with-0123";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let receivers: NotificationReceivers;
beforeAll(async () => {
  receivers = await NotificationReceivers.open("unused");
});
afterAll(() => receivers[Symbol.asyncDispose]());
beforeEach(() => {
  receivers.posted.length = 0;
});

const webhook = (more: object = {}) => ({
  kind: "webhook",
  url: `${receivers.url}/alerts`,
  events: ["code_host_failing", "failure_rate", "backup_old", "credential_ending"],
  ...more,
});

async function aHub(options: Parameters<typeof TestHub.start>[0] = {}): Promise<TestHub> {
  const hub = await TestHub.start({ issues: 14, ...options });
  expect(await hub.admin("PUT", "/api/alerts/channels/team", webhook())).toMatchObject({ status: 200 });
  expect(await hub.admin("PUT", "/api/alerts/channels/team/secret", { secret: SECRET })).toMatchObject({ status: 200 });
  return hub;
}

/** Minutes of the hub's clock, one by one, as its watch looks. */
async function pass(hub: TestHub, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await hub.clock.advance(MINUTE);
    await hub.settled();
  }
}

const titles = () => receivers.posted.map(({ body }) => (JSON.parse(body) as { title: string }).title);
const read = async (hub: TestHub) =>
  (await hub.admin("GET", "/api/alerts")).body as { open: alerts.OpenAlert[]; channels: alerts.AlertChannel[] };

test("trouble is told once when it begins and once when it is over, signed, also across a restart", async () => {
  await using hub = await aHub();
  expect(await read(hub)).toMatchObject({ open: [], channels: [{ name: "team", secret: "saved" }] });
  hub.codeHost.failure = new NestError("codehost_unreachable", "the code host answered 502");
  await hub.hub.monitor.refresh();
  await pass(hub, 15);
  await expect.poll(titles).toEqual(["A repository cannot be read"]);
  const [posted] = receivers.posted;
  const signature = createHmac("sha256", SECRET)
    .update(posted?.body ?? "")
    .digest("hex");
  expect(posted?.headers["x-nest-signature-256"]).toBe(`sha256=${signature}`);
  expect(JSON.parse(posted?.body ?? "{}")).toMatchObject({
    event: "code_host_failing",
    hub_id: expect.any(String),
    text: expect.stringContaining("acme/one"),
  });
  expect((await read(hub)).open).toMatchObject([{ kind: "code_host_failing" }]);
  await hub.restart();
  await pass(hub, 15);
  expect(titles()).toEqual(["A repository cannot be read"]);
  hub.codeHost.failure = undefined;
  await hub.hub.monitor.refresh();
  await pass(hub, 8);
  await expect.poll(titles).toEqual(["A repository cannot be read", "Over: A repository cannot be read"]);
  expect((await read(hub)).open).toEqual([]);
});

test("most tasks fail and the backup is too old: each is told, once", async () => {
  await using folder = await FolderHere.make("backup");
  const file = folder.in("backup.prom");
  await using hub = await aHub({ config: { backupMetricsFile: file } });
  const seconds = hub.clock.now() / 1000;
  await writeFile(file, `nest_backup_last_success_timestamp_seconds ${seconds - 27 * 3600}\n`);
  for (let nth = 0; nth < 12; nth += 1) {
    const relay = await hub.relay(`ada-${nth}`);
    const task = await relay.ready();
    relay.send({ type: "task_failed", ...of(task), reason: "no disk", failure_kind: "environment" });
    await relay.next("task_ack");
  }
  await pass(hub, 3);
  await expect.poll(() => titles().sort()).toEqual(["Most tasks fail", "The last backup is too old"]);
  await writeFile(file, `nest_backup_last_success_timestamp_seconds ${seconds}\n`);
  await hub.clock.jump(3 * HOUR);
  await pass(hub, 8);
  await expect
    .poll(() =>
      titles()
        .filter((title) => title.startsWith("Over"))
        .sort(),
    )
    .toEqual(["Over: Most tasks fail", "Over: The last backup is too old"]);
});

test("a channel is told only of what it wants, its secret is never shown and stays out of audit and database", async () => {
  await using hub = await aHub();
  expect(await hub.admin("PUT", "/api/alerts/channels/team", webhook({ events: ["queue_empty"] }))).toMatchObject({
    status: 200,
  });
  hub.codeHost.failure = new NestError("codehost_unreachable", "nothing answers");
  await hub.hub.monitor.refresh();
  await pass(hub, 15);
  expect((await read(hub)).open).toHaveLength(1);
  expect(receivers.posted).toEqual([]);
  const shown = [
    await hub.admin("GET", "/api/alerts"),
    await hub.admin("GET", "/api/audit"),
    await hub.admin("GET", "/api/config/governor/hub"),
  ];
  expect(JSON.stringify(shown)).not.toContain(SECRET);
  expect(JSON.stringify(shown[1])).toContain("alert secret");
  const saved = join(hub.folder, "secrets/notification_team");
  expect((await stat(saved)).mode & 0o777).toBe(0o600);
  expect(await readFile(saved, "utf8")).toMatch(new RegExp(`^${SECRET}\nfor [0-9a-f]{64}\n$`));
});

test("a test message says what became of it, and a channel that leads elsewhere loses its secret", async () => {
  await using hub = await aHub();
  const send = () => hub.admin("POST", "/api/alerts/channels/team/test");
  expect((await send()).body).toMatchObject({ delivered: true });
  expect(titles()).toEqual(["A test message"]);
  await hub.admin("PUT", "/api/alerts/channels/team", webhook({ url: `${receivers.url}/elsewhere` }));
  expect((await read(hub)).channels).toMatchObject([{ secret: "missing" }]);
  expect((await send()).body).toMatchObject({ delivered: false, because: expect.stringContaining("no secret") });
  expect(await hub.admin("DELETE", "/api/alerts/channels/team")).toMatchObject({ status: 200 });
  expect((await read(hub)).channels).toEqual([]);
  expect(await send()).toMatchObject({ status: 404 });
});

test("a secret that was given for another place than the channel leads to by now is not saved", async () => {
  await using hub = await aHub();
  const [{ place }] = (await read(hub)).channels as [alerts.AlertChannel];
  const moved = await hub.admin("PUT", "/api/alerts/channels/team", webhook({ url: `${receivers.url}/elsewhere` }));
  const save = (given: unknown) =>
    hub.admin("PUT", "/api/alerts/channels/team/secret", { secret: SECRET, place: given });
  expect(await save(place)).toMatchObject({ status: 409, body: { error: expect.stringContaining("leads elsewhere") } });
  expect((await read(hub)).channels).toMatchObject([{ secret: "missing" }]);
  expect(await save((moved.body as { place: string }).place)).toMatchObject({ status: 200 });
  expect((await read(hub)).channels).toMatchObject([{ secret: "saved" }]);
});

test("of two admins who save one channel the second is refused: what the first saved is not lost", async () => {
  await using hub = await aHub();
  const [{ revision }] = (await read(hub)).channels as [alerts.AlertChannel];
  const save = (change: object, from: string) =>
    hub.admin("PUT", `/api/alerts/channels/team?revision=${from}`, webhook(change));
  expect(await save({ quiet_hours: "22:00-07:00" }, revision)).toMatchObject({ status: 200 });
  expect(await save({ digest_minutes: 5 }, revision)).toMatchObject({
    status: 409,
    body: { code: "alert_channel_changed" },
  });
  expect(await save({}, "new")).toMatchObject({ status: 409 });
  const [channel] = (await read(hub)).channels;
  expect(channel?.config).toMatchObject({ quiet_hours: "22:00-07:00" });
  expect(channel?.config).not.toHaveProperty("digest_minutes");
  expect(await save({ digest_minutes: 5 }, channel?.revision ?? "")).toMatchObject({ status: 200 });
});

test("a secret in a variable goes only where somebody who knew it said that it may, in whatever channel", async () => {
  const secret = ["$", "{NEST_ALERT_KEY}"].join("");
  await using hub = await TestHub.start({ config: { alertVariables: { NEST_ALERT_KEY: SECRET } } });
  const save = (name: string, path: string) =>
    hub.admin("PUT", `/api/alerts/channels/${name}`, webhook({ secret, url: `${receivers.url}${path}` }));
  const send = (name: string) => hub.admin("POST", `/api/alerts/channels/${name}/test`);
  const give = (given: string) => hub.admin("PUT", "/api/alerts/channels/team/secret", { secret: given });
  const refused = { body: { delivered: false, because: expect.stringContaining("was not given for this address") } };
  await save("team", "/team");
  expect(await send("team")).toMatchObject(refused);
  expect(await give("what-somebody-guesses-0123")).toMatchObject({ status: 400 });
  expect(await give(SECRET)).toMatchObject({ status: 200 });
  expect(await send("team")).toMatchObject({ body: { delivered: true } });
  await save("another", "/another");
  expect(await send("another")).toMatchObject(refused);
  await save("team", "/elsewhere");
  expect(await send("team")).toMatchObject(refused);
  expect(receivers.posted.map(({ path }) => path)).toEqual(["/team"]);
  await hub.restart();
  expect((await read(hub)).channels).toMatchObject([{ secret: "unusable" }, { secret: "unusable" }]);
  await save("team", "/team");
  expect(await send("team")).toMatchObject({ body: { delivered: true } });
  expect(JSON.stringify(await hub.admin("GET", "/api/audit"))).not.toContain(SECRET);
  for (let nth = 0; nth < 5; nth += 1) await give(`a-guess-of-the-secret-${nth}`);
  expect(await give("one-guess-too-many-0123")).toMatchObject({ status: 429 });
});

test("a channel of an earlier release that takes its secret from a variable keeps the address that it had", async () => {
  const secret = ["$", "{NEST_ALERT_KEY}"].join("");
  await using hub = await TestHub.start({ config: { alertVariables: { NEST_ALERT_KEY: SECRET } } });
  const { ledger, batcher } = hub.hub;
  const value = { team: webhook({ secret }) };
  await changeSetting({ ledger, batcher }, { name: "alert-channels", actor: "boss" }, () => ({ value }));
  await hub.restart();
  expect((await read(hub)).channels).toMatchObject([{ name: "team", secret: "variable" }]);
  await hub.admin("PUT", "/api/alerts/channels/team", webhook({ secret, url: `${receivers.url}/elsewhere` }));
  expect((await read(hub)).channels).toMatchObject([{ secret: "unusable" }]);
});

test("alerts and their channels are for admins", async () => {
  await using hub = await aHub();
  const { registration_token: token } = await hub.register("ada");
  for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
    for (const [method, path, body] of [
      ["GET", "/api/alerts", undefined],
      ["PUT", "/api/alerts/channels/mine", webhook()],
      ["PUT", "/api/alerts/channels/team/secret", { secret: SECRET }],
      ["POST", "/api/alerts/channels/team/test", undefined],
      ["DELETE", "/api/alerts/channels/team", undefined],
    ] as const)
      expect([401, 403]).toContain((await hub.call(method, path, body, headers)).status);
  }
  expect(await hub.admin("PUT", "/api/alerts/channels/..%2fx", webhook())).toMatchObject({ status: 400 });
  for (const url of ["file:///etc/passwd", "no address", ""])
    expect(await hub.admin("PUT", "/api/alerts/channels/x", webhook({ url }))).toMatchObject({ status: 400 });
});
