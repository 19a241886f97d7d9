import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Route, route } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { call } from "./call.ts";

let server: Server;
let answer: (path: string) => string | undefined;
let base: string;

beforeEach(async () => {
  server = createServer((request, response) => {
    const text = answer(request.url ?? "");
    response.writeHead(200, { "content-type": "application/json" });
    response.write(" ");
    if (text !== undefined) response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function aRoute(method: Route["method"]) {
  return route({ method, path: `${base}/thing`, summary: "", access: "anyone", reply: z.object({ ok: z.boolean() }) });
}

test("an answer that does not come in time is not waited for, not even when its beginning came", async () => {
  answer = () => undefined;
  await expect(call(aRoute("GET"), { deadlineMs: 200 })).rejects.toMatchObject({
    code: "no_answer",
    hint: "try again",
  });
});

test("of a change without an answer nobody says that it was not made", async () => {
  answer = () => undefined;
  await expect(call(aRoute("PUT"), { deadlineMs: 200 })).rejects.toMatchObject({
    code: "no_answer",
    hint: expect.stringContaining("not confirmed"),
  });
  server.closeAllConnections();
  server.close();
  await expect(call(aRoute("PUT"))).rejects.toMatchObject({
    code: "unreachable",
    hint: expect.stringContaining("not confirmed"),
  });
});

test("who gives up a question is not told that it failed", async () => {
  answer = () => undefined;
  const giveUp = new AbortController();
  const asked = call(aRoute("GET"), { signal: giveUp.signal });
  giveUp.abort();
  await expect(asked).rejects.toMatchObject({ name: "AbortError" });
});

test("an answer that is no JSON is not taken for one", async () => {
  answer = () => "<html>";
  await expect(call(aRoute("GET"))).rejects.toMatchObject({ code: "other_version" });
});
