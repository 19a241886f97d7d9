import { VirtualClock } from "@nest/kit";
import { expect, test } from "vitest";
import { Connection } from "./connection.ts";
import { ScriptedWire } from "./testing/scripted-wire.ts";

const PING_MS = 30_000;

function aConnection() {
  const clock = new VirtualClock();
  const { open, wires } = ScriptedWire.opener();
  const heard: string[] = [];
  const ignored: string[] = [];
  const connection = new Connection("wss://hub.example/contribute", {
    openWire: open,
    clock,
    redaction: { redact: (text) => text, redactOwn: (text) => text },
    pingMs: PING_MS,
    openWithinMs: 10_000,
    onMessage: ({ type }) => heard.push(type),
    onIgnored: (why) => ignored.push(why),
  });
  const wire = wires[0] as ScriptedWire;
  return { clock, connection, wire, heard, ignored };
}

test("an open connection is pinged in each period, in the protocol and in the transport", async () => {
  const { clock, connection, wire } = aConnection();
  wire.accept();
  await clock.advance(PING_MS);
  wire.pong();
  await clock.advance(PING_MS);
  expect(wire.sent.map(({ type }) => type)).toEqual(["ping", "ping"]);
  expect(wire.pings).toBe(2);
  expect(connection.isOpen).toBe(true);
});

test("a hub that gives no sign of life for three pings is left with 1001, and cut when it does not answer that", async () => {
  const { clock, connection, wire } = aConnection();
  wire.accept();
  await clock.advance(3 * PING_MS - 1);
  expect(wire.closes).toEqual([]);
  await clock.advance(1);
  expect(wire.closes).toEqual([[1001, "silent peer"]]);
  await clock.advance(2000);
  expect(await connection.closed).toEqual({ code: 1006, reason: "silent for 90 s" });
});

test.each([
  ["a frame", (wire: ScriptedWire) => wire.say({ type: "pong" })],
  ["a ping of the transport", (wire: ScriptedWire) => wire.pong()],
])("%s is a sign of life", async (_what, live) => {
  const { clock, wire } = aConnection();
  wire.accept();
  for (let nth = 0; nth < 5; nth += 1) {
    await clock.advance(PING_MS);
    live(wire);
  }
  expect(wire.closes).toEqual([]);
});

test("a ping is answered with its own number, and told nobody", () => {
  const { wire, heard } = aConnection();
  wire.accept();
  wire.say({ type: "ping", seq: 41 });
  expect(wire.sent).toEqual([expect.objectContaining({ type: "pong", seq: 41 })]);
  expect(heard).toEqual([]);
});

test("a hub that reads nothing is cut before what waits for it fills the memory", async () => {
  const { connection, wire } = aConnection();
  wire.accept();
  wire.bufferedAmount = 1024 * 1024 + 1;
  expect(await connection.send({ type: "ready" })).toBe(false);
  expect(await connection.closed).toEqual({ code: 1006, reason: "the hub does not read" });
});

test("a hub that sends more than a thousand frames at once is left with 1008", async () => {
  const { wire, heard } = aConnection();
  wire.accept();
  for (let nth = 0; nth < 1100; nth += 1) wire.say({ type: "notice", message: "hear, hear" });
  expect(heard).toHaveLength(1000);
  expect(wire.closes).toEqual([[1008, "too many frames"]]);
});

test("what cannot be read is ignored, and told five times", () => {
  const { wire, heard, ignored } = aConnection();
  wire.accept();
  for (let nth = 0; nth < 9; nth += 1) wire.sayBytes(Buffer.from("{}"));
  expect(ignored).toEqual([...Array.from({ length: 5 }, () => "a binary frame"), expect.stringContaining("more")]);
  expect(heard).toEqual([]);
});

test("nothing is sent before the wire is open, and a connection that is given up while it opens is cut", async () => {
  const { connection, wire } = aConnection();
  expect(await connection.send({ type: "ready" })).toBe(false);
  connection.close(1000, "relay stopped");
  expect(wire.closes).toEqual([]);
  expect(await connection.closed).toMatchObject({ code: 1006 });
});
