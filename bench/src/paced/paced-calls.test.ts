import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { beatCalls } from "../heartbeats/beat-calls.ts";
import { PacedCalls } from "./paced-calls.ts";

test("every nest beats in its turn on a connection of its own, and what is not answered with 200 is counted", async () => {
  const beats = new Map<string, Set<unknown>>();
  let answer = 200;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { nest_id } = JSON.parse(Buffer.concat(chunks).toString()) as { nest_id: string };
    beats.set(nest_id, (beats.get(nest_id) ?? new Set()).add(request.socket));
    response.writeHead(answer).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fleet = new PacedCalls(url, beatCalls(40, "s"));
  await fleet.warmUp(4000, 0.01);
  expect([fleet.samples.sum().count, beats.size]).toEqual([0, 40]);
  answer = 401;
  await fleet.callAt(4000, 0.02);
  expect([fleet.samples.sum().count, fleet.odd]).toEqual([80, 80]);
  expect([...beats.values()].map((connections) => connections.size)).toEqual(Array.from({ length: 40 }, () => 1));
  fleet.close();
  server.close();
});
