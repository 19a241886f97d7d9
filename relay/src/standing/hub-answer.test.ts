import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { hubAnswer } from "./hub-answer.ts";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function aHub(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  open.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("an answer is its status and its JSON", async () => {
  const hub = await aHub((_request, response) => response.writeHead(403).end('{"error":"no"}'));
  expect(await hubAnswer(fetch, hub, {}, 5_000)).toEqual({ status: 403, ok: false, body: { error: "no" } });
});

test("an answer that never ends is given up when patience ends", async () => {
  const hub = await aHub((_request, response) => {
    const drops = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(drops));
  });
  await expect(hubAnswer(fetch, hub, {}, 200)).rejects.toThrow();
});

test("an answer without bounds is not read to its end", async () => {
  const hub = await aHub((_request, response) => {
    const flood = () => {
      while (!response.destroyed && response.write("1".repeat(65_536)));
    };
    response.on("drain", flood);
    flood();
  });
  expect(await hubAnswer(fetch, hub, {}, 20_000)).toMatchObject({ status: 200, body: undefined });
});

test("a redirect is not followed, so that a token reaches no other host", async () => {
  let asked = 0;
  const other = await aHub((_request, response) => {
    asked += 1;
    response.end("{}");
  });
  const hub = await aHub((_request, response) => response.writeHead(307, { location: other }).end());
  await expect(hubAnswer(fetch, hub, { headers: { authorization: "Bearer t" } }, 5_000)).rejects.toThrow();
  expect(asked).toBe(0);
});
