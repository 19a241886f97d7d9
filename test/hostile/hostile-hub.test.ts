import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HonestHub } from "../harness/between-hubs.ts";
import { RawHub, type RelayVisit } from "../harness/raw-hub.ts";

/** One of two hubs that a contributor works for is hostile. Whatever it sends, the relay's work for the honest one goes on. */
let honest: HonestHub;
beforeAll(async () => {
  honest = await HonestHub.start();
});
afterAll(() => honest[Symbol.asyncDispose]());

/** The most memory that a relay may use, whatever it is sent. */
const MOST_KIB = 350 * 1024;
const FRAMES = 5000;
const FRAMES_A_VISIT = 500;

const task = {
  type: "task_assign",
  task_id: "t-hostile",
  task_gen: 1,
  kind: "issue",
  repo: "evil/one",
  number: 1,
  title: "Title",
  url: "https://code.example/evil/one/issues/1",
  labels: [],
  prompt: "Do it.",
};

const types = [
  ...["auth_challenge", "auth_ok", "task_revoke", "token_refresh", "token_refresh_failed", "task_unavailable"],
  ...["task_ack", "notice", "ping", "pong", "task_assign", "standby_state", "__proto__", "constructor", ""],
];
const anyValue = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1,
    2 ** 53,
    1e308,
    "",
    "t-hostile",
    [],
    {},
    [[]],
    "\u0000",
    "../..",
    "-x/y",
  ),
  fc.jsonValue({ maxDepth: 3 }),
);
const fields = [
  ...["seq", "nonce", "contributor_id", "permissions", "server_capabilities", "max_message_bytes", "limits", "task_id"],
  ...[
    "task_gen",
    "repo",
    "number",
    "title",
    "url",
    "labels",
    "prompt",
    "github_token",
    "reason",
    "message",
    "withheld",
  ],
  ...["retry_after_s", "protocol_version", "trust_tier", "__proto__"],
];
const wrongMessage = fc
  .tuple(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...fields), anyValue, { maxKeys: 12 }))
  .map(([type, said]) => JSON.stringify({ ...said, type }));
const anyFrame: fc.Arbitrary<string | Buffer> = fc.oneof(
  wrongMessage,
  fc.json({ maxDepth: 6 }),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.integer({ min: 1, max: 20_000 }).map((depth) => "[".repeat(depth)),
);

describe("what a hostile hub says", () => {
  test("at random, before and after its welcome, is passed over: the honest hub's work is done", async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const frames = fc.sample(anyFrame, { numRuns: FRAMES, seed });
    let [sent, visits] = [0, 0];
    await using hostile = await RawHub.start(async (visit) => {
      visits += 1;
      if (visits % 3 !== 0) await visit.welcome();
      for (const frame of frames.slice(sent, sent + FRAMES_A_VISIT)) visit.sendText(frame);
      sent += FRAMES_A_VISIT;
      setTimeout(() => visit.socket.terminate(), 300);
    });
    await using between = await honest.relayBeside(hostile);
    await expect.poll(() => sent, { timeout: 40_000, message: `seed ${seed}` }).toBeGreaterThanOrEqual(FRAMES);
    const done = between.frames("toRelay", "task_ack").length;
    await between.honestWorkIsDone(done + 1);
    expect(await between.mostMemoryKib()).toBeLessThan(MOST_KIB);
  }, 90_000);

  test("in giant frames, whole or in endless pieces, closes its own socket alone", async () => {
    const codes: number[] = [];
    let visits = 0;
    await using hostile = await RawHub.start(async (visit) => {
      visits += 1;
      await visit.welcome();
      if (visits % 2 === 0) visit.sendText(Buffer.alloc(16 * 1024 * 1024, "x"));
      else
        for (let piece = 0; piece < 64 && visit.socket.readyState === visit.socket.OPEN; piece += 1)
          visit.socket.send("x".repeat(60_000), { fin: false }, () => undefined);
      codes.push((await visit.closed).code);
    });
    await using between = await honest.relayBeside(hostile);
    await between.honestWorkIsDone(2);
    await expect.poll(() => codes.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(2);
    expect(new Set(codes)).toEqual(new Set([1009]));
    expect(await between.mostMemoryKib()).toBeLessThan(MOST_KIB);
  }, 90_000);

  test("without an end closes its own socket, and fills neither log nor screen", async () => {
    await using hostile = await RawHub.start(async (visit) => {
      await visit.welcome();
      for (let round = 0; round < 3000; round += 1)
        visit.send(round % 2 === 0 ? { type: "notice", message: `n${round}` } : { type: `unknown-${round}` });
    });
    await using between = await honest.relayBeside(hostile);
    await expect.poll(() => hostile.visits.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(2);
    await between.honestWorkIsDone(2);
    const lines = between.relay.process.said.split("\n").filter((line) => /: n\d+$|unknown-\d+/.test(line));
    expect(lines.length).toBeLessThan(60 * hostile.visits.length);
  }, 90_000);

  test("about a task of the honest hub changes nothing of it, and its credential reaches nobody", async () => {
    let visit: RelayVisit | undefined;
    await using hostile = await RawHub.start(async (one) => {
      visit = one;
      await one.welcome({ server_capabilities: ["task_ack", "task_declined", "token_refresh"] });
    });
    const environment = { FAKE_SECONDS: "2" };
    await using between = await honest.relayBeside(hostile, { environment });
    await expect.poll(() => between.frames("toHub", "task_accepted").length, { timeout: 20_000 }).toBeGreaterThan(0);
    const [assigned] = between.frames("toRelay", "task_assign");
    if (visit === undefined || assigned === undefined) throw new Error("neither hub has a relay");
    const { task_id, task_gen } = assigned;
    for (const credential of ['"task_id":', "completed", "shipped", "ghs_of_the_hostile_hub"])
      visit.send({ type: "token_refresh", github_token: credential, token_expires_at: "2099-01-01T00:00:00Z" });
    visit.send({ type: "token_refresh_failed", task_id, reason: "no" });
    visit.send({ type: "task_revoke", task_id, reason: "no active lease for this task" });
    visit.send({ type: "task_ack", task_id, task_gen });
    visit.send({ ...assigned });
    visit.send({ ...assigned, task_gen: Number(task_gen) + 1 });
    await between.honestWorkIsDone();
    const [report] = between.frames("toHub", "task_complete");
    expect(report).toMatchObject({
      task_id,
      task_gen,
      verdict: "shipped",
      pr_url: expect.stringContaining("/pull/13"),
    });
    expect(visit.count("task_declined")).toBe(2);
    expect(visit.count("task_accepted")).toBe(0);
    expect(visit.count("task_complete")).toBe(0);
  }, 90_000);
});

describe("work from a hostile hub", () => {
  test("in floods, two at a time, is taken once; the honest hub has its turn", async () => {
    await using hostile = await RawHub.start(async (visit) => {
      await visit.welcome();
      for (let round = 0; round < 400; round += 1) visit.send({ ...task, task_id: `t-${round}`, task_gen: round + 1 });
    });
    await using between = await honest.relayBeside(hostile);
    await between.honestWorkIsDone(2);
    const [first] = hostile.visits;
    expect((first?.count("task_accepted") ?? 0) + (first?.count("task_declined") ?? 0)).toBeLessThanOrEqual(400);
    expect(first?.count("task_accepted")).toBeLessThanOrEqual(1 + (first?.count("task_complete") ?? 0));
  }, 90_000);

  test("that is pushed again the moment the last was done does not keep the honest hub from its turn", async () => {
    let gen = 0;
    await using hostile = await RawHub.start(async (visit) => {
      const push = () => {
        gen += 1;
        visit.send({ ...task, task_id: `t-${gen}`, task_gen: gen });
      };
      visit.socket.on("message", (data) => {
        const { type } = JSON.parse(String(data)) as { type: string };
        if (type === "task_complete" || type === "ready" || type === "task_declined") push();
      });
      await visit.welcome();
    });
    await using between = await honest.relayBeside(hostile);
    await between.honestWorkIsDone(4);
  }, 90_000);

  test("that is given and taken back for ever leaves the honest hub its turn", async () => {
    let gen = 0;
    await using hostile = await RawHub.start(async (visit) => {
      visit.socket.on("message", (data) => {
        const { type, task_id } = JSON.parse(String(data)) as { type: string; task_id?: string };
        if (type === "task_accepted") visit.send({ type: "task_revoke", task_id, reason: "changed my mind" });
        if (type !== "ready" && type !== "auth_response") return;
        gen += 1;
        visit.send({ ...task, task_id: `t-${gen}`, task_gen: gen });
      });
      await visit.welcome();
    });
    await using between = await honest.relayBeside(hostile);
    await between.honestWorkIsDone(2);
    expect(gen).toBeGreaterThan(0);
  }, 90_000);
});
