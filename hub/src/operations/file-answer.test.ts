import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { sendFile } from "./file-answer.ts";
import { allInParts, newestFirst } from "./newest-first.ts";

test("a file that nobody waits for any more is not read on", async () => {
  let spans = 0;
  const app = Fastify({ logger: false });
  app.get("/file", (request, reply) =>
    sendFile(
      { request, reply },
      { format: "csv", day: 0 },
      {
        name: "rows",
        columns: ["key"],
        cellsOf: (key: number) => [key],
        // Far more than is read while this test lasts, and nothing is found in it.
        rows: (signal) =>
          allInParts(
            (below, limit) =>
              newestFirst({
                first: 0,
                below: Math.min(below, 1e12),
                limit,
                signal,
                read: async () => {
                  spans += 1;
                  return [];
                },
              }),
            (key: number) => key,
            signal,
          ),
      },
    ),
  );
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const leaving = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${port}/file`, { signal: leaving.signal });
  expect(answer.status).toBe(200);
  expect(spans).toBeGreaterThan(0);
  leaving.abort();
  const growsBy = async () => {
    const before = spans;
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return spans - before;
  };
  await expect.poll(growsBy).toBe(0);
  await app.close();
});
