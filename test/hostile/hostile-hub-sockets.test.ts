import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HonestHub } from "../harness/between-hubs.ts";
import { RawHub, type RelayVisit } from "../harness/raw-hub.ts";

/** Whatever a hostile hub does with its sockets or its refusals, the relay's work for the honest hub goes on. */
let honest: HonestHub;
beforeAll(async () => {
  honest = await HonestHub.start();
});
afterAll(() => honest[Symbol.asyncDispose]());

/** The most memory that a relay may use, whatever it is sent. */
const MOST_KIB = 350 * 1024;

describe("a hub", () => {
  test.each<[string, (visit: RelayVisit) => unknown]>([
    ["that closes at once, again and again", (visit) => visit.socket.close(1012)],
    ["that cuts every connection after its welcome", (visit) => visit.welcome().then(() => visit.socket.terminate())],
    ["that closes with every code there is", (visit) => visit.welcome().then(() => visit.socket.close(randomCode()))],
    ["that never says a word", () => undefined],
    ["that never answers a ready", (visit) => visit.welcome()],
    ["that stops reading after its welcome", (visit) => visit.welcome().then(() => visit.socket.pause())],
    ["that pings without end", (visit) => visit.welcome().then(() => pingWithoutEnd(visit))],
    ["that asks who the relay is for ever", (visit) => askForEver(visit)],
    [
      "that welcomes for ever",
      (visit) => visit.welcome().then(() => repeat(visit, { type: "auth_ok", contributor_id: "c" })),
    ],
  ])(
    "%s does not hold up the other's work",
    async (_, behave) => {
      await using hostile = await RawHub.start(behave);
      await using between = await honest.relayBeside(hostile);
      await between.honestWorkIsDone(2);
      expect(await between.mostMemoryKib()).toBeLessThan(MOST_KIB);
      for (const visit of hostile.visits) expect(visit.count("auth_response")).toBeLessThanOrEqual(1);
      for (const visit of hostile.visits) expect(visit.count("ready")).toBeLessThanOrEqual(1);
    },
    90_000,
  );

  test("that pings without end and reads no answer is let go for it", async () => {
    await using hostile = await RawHub.start((visit) => visit.welcome().then(() => pingWithoutEnd(visit)));
    await using between = await honest.relayBeside(hostile);
    await expect.poll(() => between.relay.process.said, { timeout: 20_000 }).toMatch(/too many frames/);
    await expect.poll(() => hostile.visits.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
  }, 90_000);

  test.each<[string, string]>([
    ["leaves the upgrade half open", ""],
    ["answers it with noise", "\u0000\u0001\u0002 nothing like HTTP\r\n\r\n"],
    ["sends the relay elsewhere", "HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/elsewhere\r\n\r\n"],
    ["answers with headers that do not end", `HTTP/1.1 101 Switching Protocols\r\n${"X-A: b\r\n".repeat(5000)}`],
  ])(
    "that %s does not hold up the other's work",
    async (_, bytes) => {
      await using hostile = await RawHub.ofBytes((socket) => socket.write(bytes));
      await using between = await honest.relayBeside(hostile);
      await between.honestWorkIsDone(2);
    },
    90_000,
  );

  test.each([
    ...["invalid token", "missing token", "access revoked", "model not accepted", "role not allowed", "wrong proof"],
    ...[
      "unauthorized",
      "forbidden",
      "contributor unknown",
      "try again later",
      "",
      "x".repeat(50_000),
      "\u001b[2J\u0000",
    ],
  ])(
    "that refuses with %j ends nothing but its own session",
    async (reason) => {
      await using hostile = await RawHub.start(async (visit) => {
        visit.send({ type: "auth_challenge", nonce: "00" });
        await visit.hears("auth_response");
        visit.send({ type: "auth_failed", reason, accepted_models: Array.from({ length: 500 }, () => "m".repeat(90)) });
      });
      await using between = await honest.relayBeside(hostile);
      await between.honestWorkIsDone(1);
      expect(between.relay.process.said).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      expect(Math.max(...between.relay.process.said.split("\n").map((line) => line.length))).toBeLessThan(2000);
    },
    90_000,
  );

  test("that refuses while its own task is in hand sets the relay free at once", async () => {
    await using hostile = await RawHub.start(async (visit) => {
      await visit.welcome();
      visit.send({ type: "task_assign", task_id: "t-1", task_gen: 1, repo: "evil/one", number: 1, prompt: "Do it." });
      await visit.hears("task_accepted");
      visit.send({ type: "auth_failed", reason: "access revoked" });
    });
    await using between = await honest.relayBeside(hostile, { environment: { FAKE_SECONDS: "1" } });
    await between.honestWorkIsDone(2);
  }, 90_000);
});

describe("a report for the honest hub", () => {
  test("that waits for it is acknowledged by nobody else", async () => {
    const assigned = { task_id: "t-of-the-honest", task_gen: 7 };
    let reported = false;
    await using elsewhere = await RawHub.start(async (visit) => {
      await visit.welcome({ contributor_id: "c-same" });
      if (reported || (await visit.hears("ready")) === undefined) return;
      visit.send({ type: "task_assign", ...assigned, repo: "acme/one", number: 1, prompt: "Do it." });
      await visit.hears("task_complete");
      reported = true;
      // Gone before it could acknowledge.
      visit.socket.terminate();
    });
    const hostileSaid: number[] = [];
    await using hostile = await RawHub.start(async (visit) => {
      await visit.welcome({ contributor_id: "c-same" });
      const says = setInterval(() => {
        for (const task_id of [assigned.task_id, `${assigned.task_id}-7.json`, "../t-of-the-honest"])
          visit.send({ type: "task_ack", task_id, task_gen: 7 });
        hostileSaid.push(1);
      }, 100);
      await visit.closed;
      clearInterval(says);
    });
    await using between = await honest.relayBeside(hostile, {
      environment: { NEST_HUB: `${hostile.address},${elsewhere.address}` },
    });
    await expect.poll(() => elsewhere.visits.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
    expect(await elsewhere.visits[1]?.hears("task_complete")).toMatchObject({ ...assigned, verdict: "shipped" });
    expect(hostileSaid.length).toBeGreaterThan(0);
    expect(await Promise.race([between.relay.process.ended, "it runs"])).toBe("it runs");
  }, 90_000);
});

function randomCode(): number {
  const codes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 3000, 4000, 4999];
  return codes[Math.floor(Math.random() * codes.length)] ?? 1000;
}

/** Slow enough that the WebSocket library itself does not take it for an attack. */
async function pingWithoutEnd(visit: RelayVisit): Promise<void> {
  const { socket } = visit;
  socket.pause();
  for (let pings = 0; pings < 50_000 && socket.readyState === socket.OPEN; pings += 1) {
    socket.ping("x".repeat(100), undefined, () => undefined);
    if (pings % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function askForEver(visit: RelayVisit): void {
  repeat(visit, { type: "auth_challenge", nonce: "00", server_capabilities: ["auth_proof"] });
}

function repeat(visit: RelayVisit, frame: object): void {
  const says = setInterval(() => visit.send(frame), 10);
  void visit.closed.then(() => clearInterval(says));
}
