import { expect, test } from "vitest";
import { aSession } from "./testing/fake-transport.ts";

test("messages are numbered from 1, and each is one frame", () => {
  const { session, transport } = aSession();
  session.send({ type: "ping" });
  session.send({ type: "notice", message: "hello" });
  expect(transport.sent).toEqual([
    { type: "ping", seq: 1 },
    { type: "notice", message: "hello", seq: 2 },
  ]);
});

test("a relay that reads nothing is cut instead of filling the hub's memory", () => {
  const { session, transport } = aSession();
  transport.bufferedAmount = 1024 * 1024;
  session.send({ type: "ping" });
  expect(transport.isCut).toBe(false);
  transport.bufferedAmount += 1;
  session.send({ type: "ping" });
  expect(transport.isCut).toBe(true);
  expect(transport.sent).toHaveLength(1);
});

test("a message that no frame can hold is not sent, and its relay is cut", () => {
  const { session, transport } = aSession();
  session.send({ type: "notice", message: "x".repeat(2 * 1024 * 1024) });
  expect([transport.isCut, transport.sent.length]).toEqual([true, 0]);
});

test("a close is said once; a relay that does not answer it is cut two seconds later", async () => {
  const { session, transport, clock } = aSession();
  session.close(1001, "silent peer");
  session.close(1008, "access revoked");
  session.send({ type: "ping" });
  expect([transport.closes, transport.sent]).toEqual([[[1001, "silent peer"]], []]);
  await clock.advance(1999);
  expect(transport.isCut).toBe(false);
  await clock.advance(1);
  expect(transport.isCut).toBe(true);
});

test("a relay that answers a close is not cut", async () => {
  const { session, transport, clock, told } = aSession();
  session.close(1001, "silent peer");
  session.ended();
  await clock.advance(10_000);
  expect([transport.isCut, told]).toEqual([false, ["ended"]]);
});

test("a refusal says why in full before it closes; the close frame has room for 123 bytes of it", () => {
  const { session, transport } = aSession();
  const reason = `model not accepted; accepted: ${"é".repeat(100)}`;
  session.refuse(reason, ["é"]);
  expect(transport.sent).toEqual([expect.objectContaining({ type: "auth_failed", reason, accepted_models: ["é"] })]);
  const [[code, cut] = [0, ""]] = transport.closes;
  expect(code).toBe(1008);
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(123);
});
