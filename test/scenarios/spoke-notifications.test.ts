import { createHmac } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { health, nestNotifications } from "@nest/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NotificationReceivers } from "../harness/notification-receivers.ts";
import { plainSeed } from "../harness/plain-seed.ts";
import { fakeAgent, SPOKE_TOKEN, SpokeHere } from "../harness/spoke-here.ts";

type Status = ReturnType<(typeof nestNotifications.notifications)["reply"]["parse"]>;
type Tested = ReturnType<(typeof nestNotifications.testNotification)["reply"]["parse"]>;

const SIGNING = "key-that-signs-the-posts";
const SLACK_PART = "T000/B000/part-of-the-hook";
const NTFY_TOKEN = "tk_of_the_topic_0001";
const PASSWORD = "password of the mail user";
const SECRETS = [SIGNING, "part-of-the-hook", NTFY_TOKEN, PASSWORD];
const variable = "HOOK_KEY";
const KEY = `\${${variable}}`;

let receivers: NotificationReceivers;
let spoke: SpokeHere;
beforeEach(async () => {
  receivers = await NotificationReceivers.open(PASSWORD);
});
afterEach(async () => {
  await spoke[Symbol.asyncDispose]();
  await receivers[Symbol.asyncDispose]();
});

async function start(channels: Record<string, object>): Promise<void> {
  spoke = await SpokeHere.start({
    seed: plainSeed(SPOKE_TOKEN, ["acme/web"], 1),
    config: {
      agents: { scanner: { backend: "claude", style: "headless" } },
      acmm_level: 5,
      governor: { eval_interval_s: 3600 },
      dashboard: { hub_proxied: true, public_url: "https://nest.example" },
      notifications: { channels },
    },
    environment: { NEST_AGENT_COMMAND: fakeAgent("agent-ok"), NEST_SANDBOX: "off", HOOK_KEY: SIGNING },
  });
}

const status = async () => (await spoke.call<Status>("GET", "/api/notifications")).channels;
const channel = async (name: string) => (await status()).find((one) => one.name === name);
const deepHealth = async () => (await spoke.call<health.DeepHealth>("GET", "/api/health/deep")).checks;
const setSecret = (name: string, secret: string) => spoke.call("PUT", `/api/notifications/${name}/secret`, { secret });
const sendTest = (name: string) => spoke.call<Tested>("POST", `/api/notifications/${name}/test`);
const email = () => ({ kind: "email", host: "127.0.0.1", port: receivers.mailPort, tls: "none", user: "nest" });
const people = { from: "nest@nest.example", to: ["ada@nest.example"] };

describe("notifications of a nest", { timeout: 90_000 }, () => {
  test("what happens reaches every channel that asked for it, signed, with links, and no other channel", async () => {
    await start({
      hook: { kind: "webhook", url: `${receivers.url}/hook`, events: ["run_shipped", "nest_started"], secret: KEY },
      chat: { kind: "slack", url: `${receivers.url}/chat`, events: ["agent_paused"] },
      phone: { kind: "ntfy", url: `${receivers.url}/phone`, events: ["agent_paused"] },
      mail: { ...email(), ...people, events: ["agent_paused"] },
      silent: { kind: "webhook", url: `${receivers.url}/silent`, events: [], secret: KEY },
    });
    await setSecret("chat", SLACK_PART);
    await setSecret("phone", NTFY_TOKEN);
    await setSecret("mail", PASSWORD);
    await spoke.endedRun();
    await spoke.call("POST", "/api/agents/scanner/pause", { reason: "we look at it first" });

    await expect
      .poll(() => receivers.at("/hook").map(({ headers }) => headers["x-nest-event"]))
      .toEqual(["nest_started", "run_shipped"]);
    const shipped = receivers.at("/hook")[1];
    const body = JSON.parse(shipped?.body ?? "");
    const signature = createHmac("sha256", SIGNING)
      .update(shipped?.body ?? "")
      .digest("hex");
    expect(shipped?.headers).toMatchObject({
      "x-nest-signature-256": `sha256=${signature}`,
      "x-nest-delivery": body.delivery,
      "x-nest-timestamp": body.timestamp,
    });
    expect(body).toMatchObject({
      event: "run_shipped",
      title: "scanner opened a pull request",
      agent: "scanner",
      issue: "acme/web#1",
      pull_request: `${spoke.codeHost.url}/acme/web/pull/13`,
      link: expect.stringMatching(/^https:\/\/nest\.example\/runs\/./),
    });

    await expect.poll(() => receivers.at(`/chat/${SLACK_PART}`).length).toBe(1);
    expect(JSON.parse(receivers.at(`/chat/${SLACK_PART}`)[0]?.body ?? "").text).toBe(
      "scanner was paused\nwe look at it first\n<https://nest.example/|Open the nest>",
    );
    await expect.poll(() => receivers.at("/phone").length).toBe(1);
    expect(receivers.at("/phone")[0]).toMatchObject({
      body: "we look at it first",
      headers: { title: "scanner was paused", authorization: `Bearer ${NTFY_TOKEN}`, click: "https://nest.example/" },
    });
    await expect.poll(() => receivers.mailed.length).toBe(1);
    expect(receivers.mailed[0]).toMatchObject({ from: people.from, to: people.to, user: "nest" });
    expect(receivers.mailed[0]?.source).toContain("Subject: [nest] scanner was paused\r\n");
    expect(receivers.mailed[0]?.source).toContain("\r\nwe look at it first\r\n");
    await expect
      .poll(async () => (await status()).every(({ waiting, given_up }) => waiting + given_up === 0))
      .toBe(true);
    expect(receivers.at("/silent")).toEqual([]);
  });

  test("secrets are saved for the nest's user alone, and are in no answer, log or audit", async () => {
    await start({
      hook: { kind: "webhook", url: `${receivers.url}/hook`, events: [], secret: KEY },
      chat: { kind: "slack", url: `${receivers.url}/chat`, events: [] },
      phone: { kind: "ntfy", url: `${receivers.url}/refuses`, events: [] },
      mail: { ...email(), ...people, events: [] },
    });
    const answers = [
      await setSecret("chat", SLACK_PART),
      await setSecret("phone", NTFY_TOKEN),
      await setSecret("mail", PASSWORD),
      ...(await Promise.all(["hook", "chat", "phone", "mail"].map(sendTest))),
    ];
    const file = `${spoke.dataFolder}/secrets/notification_mail`;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, "utf8")).split("\n")).toEqual([
      PASSWORD,
      expect.stringMatching(/^for [0-9a-f]{64}$/),
      "",
    ]);
    const audit = await readFile(`${spoke.dataFolder}/audit.jsonl`, "utf8");
    expect(audit).toContain('"action":"notification secret saved","subject":"mail","after":"[secret]"');
    expect(audit).toContain('"action":"notification tested","subject":"phone","after":{"delivered":false}');
    const config = await spoke.call("GET", "/api/config");
    const all = [JSON.stringify([answers, await status(), config]), spoke.process.said, audit].join("\n");
    for (const secret of SECRETS) expect(all).not.toContain(secret);
  });

  test("a test says at once what became of it, and a channel that fails is seen until it works", async () => {
    await start({
      mail: { ...email(), ...people, events: [] },
      phone: { kind: "ntfy", url: `${receivers.url}/refuses`, events: [] },
    });
    expect(await sendTest("mail")).toMatchObject({
      delivered: false,
      because: "it has no secret yet: the password of the mail server's user",
    });
    await setSecret("mail", "another password");
    const because = "the mail server refuses the user or the password";
    expect(await sendTest("mail")).toMatchObject({ delivered: false, because });
    expect(await channel("mail")).toMatchObject({ secret: "saved", last_error: { because }, given_up: 2 });
    expect((await deepHealth()).notifications).toEqual({ status: "degraded", detail: `mail: ${because}` });
    await setSecret("mail", PASSWORD);
    expect(await sendTest("mail")).toMatchObject({ delivered: true });
    const mended = await channel("mail");
    expect([mended?.last_error, mended?.delivered]).toEqual([undefined, 1]);
    expect((await deepHealth()).notifications).toMatchObject({ status: "ok" });
    expect(await sendTest("phone")).toMatchObject({ delivered: false, because: "it answered with 403" });
    await spoke.call("DELETE", "/api/notifications/mail/secret");
    expect(await channel("mail")).toMatchObject({ secret: "missing" });
  });

  test("a password is told to no mail server that does not speak TLS, or whose certificate nobody vouches for", async () => {
    await using withTls = await NotificationReceivers.open(PASSWORD, { speaksTls: true });
    const mail = { ...email(), ...people, events: [], tls: "starttls" };
    await start({
      plain: mail,
      unknown: { ...mail, port: withTls.mailPort },
      afar: { ...mail, tls: "none", host: "192.0.2.1" },
    });
    for (const [name, because] of [
      ["plain", /TLS/],
      ["unknown", /cannot be reached \(.*CERT/],
      ["afar", /on this machine only/],
    ] as const) {
      await setSecret(name, PASSWORD);
      expect(await sendTest(name)).toMatchObject({ delivered: false, because: expect.stringMatching(because) });
    }
    expect([receivers.logins, withTls.logins, receivers.mailed, withTls.mailed]).toEqual([0, 0, [], []]);
  });

  test("only an owner sees, changes or tests a channel, and a channel that there is not is told as such", async () => {
    await start({ phone: { kind: "ntfy", url: `${receivers.url}/phone`, events: [] } });
    for (const [method, path, body] of [
      ["GET", "/api/notifications"],
      ["PUT", "/api/notifications/phone/secret", { secret: NTFY_TOKEN }],
      ["DELETE", "/api/notifications/phone/secret"],
      ["POST", "/api/notifications/phone/test"],
    ] as const)
      await expect(spoke.call(method, path, body, "merger")).rejects.toMatchObject({ status: 403 });
    for (const name of ["other", "..%2F..%2Fnest-id", "constructor"])
      await expect(setSecret(name, NTFY_TOKEN)).rejects.toMatchObject({
        status: 404,
        code: "notification_channel_not_found",
      });
    expect(receivers.posted).toEqual([]);
  });

  test("a channel that is saved while the nest runs works at once, and a mistake in it is refused by its key", async () => {
    await start({});
    const save = (phone: object) => spoke.call("PUT", "/api/config", { notifications: { channels: { phone } } });
    for (const [wrong, said] of [
      [{ url: "ftp://x" }, "notifications.channels.phone.url: must be an http or https address"],
      [{ url: "https://me:word@ntfy.example/t" }, "notifications.channels.phone.url: must hold no name or password"],
      [{ quiet_hours: "10pm" }, "notifications.channels.phone.quiet_hours: must be two times of day"],
      [{ timezone: "Mars/Base" }, "notifications.channels.phone.timezone: must be the name of a time zone"],
      [{ secret: NTFY_TOKEN }, "notifications.channels.phone.secret: must name a variable"],
      [{ token: NTFY_TOKEN }, "notifications.channels.phone.token"],
    ] as const)
      await expect(
        save({ kind: "ntfy", url: `${receivers.url}/phone`, events: ["agent_paused"], ...wrong }),
      ).rejects.toMatchObject({ status: 400, error: expect.stringContaining(said) });
    await save({ kind: "ntfy", url: `${receivers.url}/phone`, events: ["agent_paused"] });
    await spoke.call("POST", "/api/agents/scanner/pause", {});
    await expect.poll(() => receivers.at("/phone").length).toBe(1);
  });
});
