import { seededRandom, VirtualClock } from "@nest/kit";
import { durations, scaleTransport } from "@nest/protocol";
import { expect, test } from "vitest";
import { Session, type SessionListener } from "./session.ts";
import { ScriptedWire } from "./testing/scripted-wire.ts";

const transport = scaleTransport(1);
const WELCOME = { type: "auth_ok", contributor_id: "c-1", trust_tier: "newcomer", server_capabilities: ["task_push"] };

/** A session that runs, and everything that it told. */
function aSession(hasWorked = false) {
  const accepted = new Set(hasWorked ? ["wss://hub.example/contribute"] : []);
  const logins = {
    has: ({ address }: { address: string }) => accepted.has(address),
    add: async ({ address }: { address: string }) => void accepted.add(address),
  };
  const clock = new VirtualClock();
  const { open, wires } = ScriptedWire.opener();
  const told: string[] = [];
  const listener: SessionListener = {
    onAuthenticated: () => told.push("authenticated"),
    onWork: (_session, { type }, asked) => told.push(asked ? `${type}, asked` : type),
    onIgnored: (_session, why) => told.push(`ignored ${why}`),
    onLost: (_session, { code, reason }, retryMs) =>
      told.push(
        `lost with ${code}${/^refused/.test(reason) ? ` (${reason})` : ""}, again in ${retryMs > 0 ? "a while" : "no time"}`,
      ),
    onRefused: (_session, reason) => told.push(`refused: ${reason}`),
  };
  const stop = new AbortController();
  const hub = { host: "hub.example", address: "wss://hub.example/contribute", token: { reveal: () => "t0ken" } };
  const session = new Session(hub as never, {
    openWire: open,
    clock,
    random: seededRandom(7),
    numbers: durations,
    transport,
    introduction: () => ({}) as never,
    redaction: { redact: (text) => text, redactOwn: (text) => text },
    logins,
    listener,
  });
  const ended = session.run(stop.signal);
  const latest = () => wires.at(-1) as ScriptedWire;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, session, wires, latest, told, stop, ended, turn };
}

/** The wire opens, and the hub takes the relay in. */
function letIn(wire: ScriptedWire): void {
  wire.accept();
  wire.say({ type: "auth_challenge", nonce: "n0" });
  wire.say(WELCOME);
}

test("a challenge is answered once; work begins with auth_ok", async () => {
  const { session, latest, told } = aSession();
  latest().accept();
  latest().say({ type: "auth_challenge", nonce: "n0" });
  latest().say({ type: "auth_challenge", nonce: "n1" });
  expect(latest().sent.map(({ type }) => type)).toEqual(["auth_response"]);
  latest().say({ type: "task_unavailable", reason: "no_matching_work" });
  expect(told).toEqual([]);
  latest().say(WELCOME);
  expect(told).toEqual(["authenticated"]);
  expect([...session.capabilities]).toEqual(["task_push"]);
});

test("auth_ok without an answered challenge lets nobody in", () => {
  const { latest, told } = aSession();
  latest().accept();
  latest().say(WELCOME);
  expect(told).toEqual([]);
});

test("a hub that never finishes the handshake is left when its time is up, and tried again later", async () => {
  const { clock, latest, wires, told } = aSession();
  latest().accept();
  await clock.advance(transport.authDeadlineMs);
  expect(latest().closes).toEqual([[1008, "authentication timeout"]]);
  latest().drop(1008, "authentication timeout");
  await clock.advance(0);
  expect(told).toEqual(["lost with 1008, again in a while"]);
  await clock.advance(15 * 60_000);
  expect(wires.length).toBeGreaterThan(1);
});

test("a relay whose network is gone comes back again and again, each time after a longer wait", async () => {
  const { clock, wires, latest } = aSession();
  const waits: number[] = [];
  for (let nth = 0; nth < 5; nth += 1) {
    const [from, known] = [clock.now(), wires.length];
    latest().drop();
    while (wires.length === known) await clock.advance(100);
    waits.push(clock.now() - from);
  }
  expect(waits.at(-1)).toBeGreaterThan(waits[0] as number);
});

test("at most one ready is outstanding, and its answer is known as an answer", async () => {
  const { session, latest, told } = aSession();
  letIn(latest());
  await session.ask();
  await session.ask();
  expect(latest().sent.filter(({ type }) => type === "ready")).toHaveLength(1);
  latest().say({ type: "task_unavailable", reason: "no_matching_work" });
  latest().say({ type: "task_unavailable", reason: "no_matching_work" });
  expect(told).toEqual(["authenticated", "task_unavailable, asked", "task_unavailable"]);
});

test("a ready is forgotten with its connection", async () => {
  const { clock, session, latest } = aSession();
  letIn(latest());
  await session.ask();
  expect(session.readySentAt).toBeDefined();
  latest().drop();
  await clock.advance(0);
  expect(session.readySentAt).toBeUndefined();
});

test("a refusal that waiting cannot change ends the session", async () => {
  const { latest, told, ended } = aSession();
  latest().accept();
  latest().say({ type: "auth_challenge", nonce: "n0" });
  latest().say({ type: "auth_failed", reason: "access revoked" });
  latest().drop(1008, "access revoked");
  expect(await ended).toBe("refused");
  expect(told).toContain("refused: access revoked");
});

test.each(["Invalid registration token", "Missing registration token"])(
  "a hub that refuses with %j a token that it accepted before, also from an earlier relay, is tried again",
  async (reason) => {
    const { clock, latest, told, wires } = aSession(true);
    latest().accept();
    latest().say({ type: "auth_challenge", nonce: "n0" });
    latest().say({ type: "auth_failed", reason });
    latest().drop(1006);
    while (wires.length === 1) await clock.advance(100);
    expect(told).toEqual([`lost with 1006 (refused: ${reason}), again in a while`]);
    letIn(latest());
    expect(told.at(-1)).toBe("authenticated");
  },
);

test.each(["Access has been revoked", 'Model "x" is not accepted by this hive'])(
  "%j is final, also for a token that worked",
  async (reason) => {
    const { latest, ended } = aSession(true);
    latest().accept();
    latest().say({ type: "auth_challenge", nonce: "n0" });
    latest().say({ type: "auth_failed", reason });
    latest().drop(1006);
    expect(await ended).toBe("refused");
  },
);

test("a token that never worked is refused for good", async () => {
  const { latest, ended } = aSession();
  latest().accept();
  latest().say({ type: "auth_challenge", nonce: "n0" });
  latest().say({ type: "auth_failed", reason: "Invalid registration token" });
  latest().drop(1006);
  expect(await ended).toBe("refused");
});

test("a hub without versions and additions is known not to answer each ready", () => {
  const { session, latest } = aSession();
  latest().accept();
  latest().say({ type: "auth_challenge", nonce: "n0" });
  latest().say({ type: "auth_ok", contributor_id: "c-1" });
  expect(session.answersReady).toBe(false);
});

test("a relay that is stopped says goodbye and does not come back", async () => {
  const { latest, stop, ended, wires } = aSession();
  letIn(latest());
  stop.abort();
  expect(latest().closes).toEqual([[1000, "relay stopped"]]);
  latest().drop(1000);
  expect(await ended).toBe("stopped");
  expect(wires).toHaveLength(1);
});
