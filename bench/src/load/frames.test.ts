import type { Writable } from "node:stream";
import { expect, test } from "vitest";
import * as ws from "ws";
import { encodeFrames, encodePong, FrameReader } from "./frames.ts";

test("what the load client sends is what a real WebSocket server reads", async () => {
  const long = "x".repeat(4000);
  const receiver = new (ws as unknown as { Receiver: new (options: object) => Writable }).Receiver({ isServer: true });
  const read: string[] = [];
  receiver.on("message", (payload: Buffer) => read.push(payload.toString()));
  receiver.write(encodeFrames(['{"type":"ready"}', long]));
  receiver.write(encodePong(Buffer.from("hi")));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(read).toEqual(['{"type":"ready"}', long]);
});

test.each([1, 2, 3, 7, 1000])("frames cut into pieces of %i bytes are put together again", (size) => {
  const texts = ["a", "b".repeat(300), "", "c".repeat(125)];
  const bytes = Buffer.concat(texts.map((text) => serverFrame(0x81, Buffer.from(text))));
  expect(readInPieces(bytes, size).texts).toEqual(texts);
});

test("pings and the close code are told apart from text", () => {
  const bytes = Buffer.concat([serverFrame(0x89, Buffer.from("p")), serverFrame(0x88, Buffer.from([0x03, 0xf4]))]);
  expect(readInPieces(bytes, 1000)).toEqual({ texts: [], pings: ["p"], closed: [1012] });
});

function serverFrame(first: number, payload: Buffer): Buffer {
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([first, ...length]), payload]);
}

function readInPieces(bytes: Buffer, size: number) {
  const seen = { texts: [] as string[], pings: [] as string[], closed: [] as number[] };
  const reader = new FrameReader();
  for (let at = 0; at < bytes.length; at += size) {
    reader.read(bytes.subarray(at, at + size), {
      text: (text) => seen.texts.push(text),
      pinged: (payload) => seen.pings.push(payload.toString()),
      closing: (code) => seen.closed.push(code),
    });
  }
  return seen;
}
