import { brotliDecompressSync } from "node:zlib";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SharedAnswers } from "./shared-answers.ts";

let http: FastifyInstance;
let answers: SharedAnswers;
let now = 0;
let made = 0;
/** What the answer that is being made waits for. */
let until: Promise<void> = Promise.resolve();
let fails = false;

beforeEach(async () => {
  [now, made, until, fails] = [0, 0, Promise.resolve(), false];
  answers = new SharedAnswers(() => now);
  http = Fastify();
  http.get("/list", (request, reply) =>
    answers.send({ request, reply }, String(request.headers.who ?? "everybody"), async () => {
      made += 1;
      const nth = made;
      await until;
      if (fails) throw new Error("the disk");
      return { nth, words: "long ".repeat(1000) };
    }),
  );
  await http.ready();
});
afterEach(() => http.close());

const ask = async (headers: Record<string, string> = {}, url = "/list") =>
  (await http.inject({ url, headers })).json<{ nth: number }>().nth;
const accepts = (seconds: number) => ({ "cache-control": `max-age=${seconds}` });

test("whoever accepts an answer of some age is given the last one; whoever does not, a new one", async () => {
  expect(await ask()).toBe(1);
  now += 900;
  expect(await ask(accepts(1))).toBe(1);
  expect(await ask(accepts(0))).toBe(2);
  expect(await ask()).toBe(3);
  expect(await ask(accepts(1))).toBe(3);
  now += 1001;
  expect(await ask(accepts(1))).toBe(4);
});

test("nobody is given an answer that is older than two seconds, whatever they accept", async () => {
  await ask();
  now += 2001;
  expect(await ask(accepts(999_999))).toBe(2);
});

test("an answer is shared by one audience and one address only", async () => {
  expect(await ask(accepts(1))).toBe(1);
  expect(await ask({ ...accepts(1), who: "admins" })).toBe(2);
  expect(await ask(accepts(1), "/list?limit=5")).toBe(3);
  expect(await ask(accepts(1))).toBe(1);
});

test("after a change nobody is given what was made before it, nor what was begun before it", async () => {
  let end = () => {};
  until = new Promise<void>((resolve) => {
    end = resolve;
  });
  const early = ask(accepts(1));
  await expect.poll(() => made).toBe(1);
  answers.forget();
  const late = ask(accepts(1));
  await expect.poll(() => made).toBe(2);
  end();
  expect(await Promise.all([early, late])).toEqual([1, 2]);
  expect(await ask(accepts(1))).toBe(2);
});

test("all who ask while it is made wait for the same answer, which is packed once for those who take that", async () => {
  const all = await Promise.all(
    Array.from({ length: 20 }, () =>
      http.inject({ url: "/list", headers: { ...accepts(1), "accept-encoding": "br" } }),
    ),
  );
  expect(made).toBe(1);
  for (const { headers, rawPayload } of all) {
    expect(headers).toMatchObject({
      "content-encoding": "br",
      vary: "accept-encoding",
      "content-type": "application/json; charset=utf-8",
    });
    expect(JSON.parse(brotliDecompressSync(rawPayload).toString())).toMatchObject({ nth: 1 });
  }
});

test("an answer that could not be made is nobody's: the next one tries again", async () => {
  fails = true;
  const failed = await http.inject({ url: "/list", headers: accepts(1) });
  fails = false;
  expect([failed.statusCode, await ask(accepts(1))]).toEqual([500, 2]);
});

test("strangers who ask for thousands of addresses do not fill the memory: the oldest answers go", async () => {
  await ask(accepts(1));
  for (let nth = 0; nth < 64; nth += 1) await ask(accepts(1), `/list?cursor=${nth}`);
  expect(await ask(accepts(1), "/list?cursor=63")).toBe(65);
  expect(await ask(accepts(1))).toBe(66);
});
