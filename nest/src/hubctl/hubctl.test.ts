import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hubctl } from "./hubctl.ts";

// What is decided before a hub is asked; test/scenarios/hubctl.test.ts has the commands against a real hub.

let home: string;
const asked: { readonly url: string; readonly request: RequestInit | undefined }[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "nest-hubctl-"));
  asked.length = 0;
});
afterEach(() => rm(home, { recursive: true }));

const TOKEN = "nest_api_0123456789_abcdef";

async function run(args: readonly string[], environment: object = {}, answer: object = { audit: [] }) {
  let printed = "";
  const code = await hubctl(args, {
    environment: { HOME: home, ...environment },
    fetch: async (url, request) => {
      asked.push({ url: String(url), request });
      return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
    },
    print: (text) => (printed += text),
    tell: () => {},
    now: () => 0,
  });
  return { code, printed };
}

const here = { NEST_HUB_URL: "http://127.0.0.1:8080/", NEST_HUB_TOKEN: TOKEN };

async function keep(text: string, mode = 0o600): Promise<void> {
  await mkdir(join(home, ".config/nest"), { recursive: true });
  await writeFile(join(home, ".config/nest/hubctl.env"), text);
  await chmod(join(home, ".config/nest/hubctl.env"), mode);
}

test("one issue is asked for by its name, however many have a name that begins like it", async () => {
  await run(["queue", "show", "acme/one#1"], here, { issue: undefined }).catch(() => undefined);
  expect(asked.map(({ url }) => url)).toEqual(["http://127.0.0.1:8080/api/contribute/issues/acme/one/1"]);
});

describe("where the hub is and who asks", () => {
  test("comes from the environment, and the token goes in a header to this hub alone: a redirect is not followed", async () => {
    await run(["audit"], here);
    expect(asked).toMatchObject([
      {
        url: "http://127.0.0.1:8080/api/audit?limit=100",
        request: { redirect: "error", headers: { authorization: `Bearer ${TOKEN}` } },
      },
    ]);
  });

  test("else comes from a file that nobody else may read; what is in the environment wins", async () => {
    await keep(`# my hub\nNEST_HUB_URL=https://hub.example/nest\nNEST_HUB_TOKEN="${TOKEN}"\n`);
    await run(["audit"]);
    await run(["audit"], { NEST_HUB_URL: "https://other.example", NEST_HUB_TOKEN: TOKEN });
    expect(asked.map(({ url }) => url)).toEqual([
      "https://hub.example/nest/api/audit?limit=100",
      "https://other.example/api/audit?limit=100",
    ]);
  });

  test("the file's token goes to the file's hub alone, whatever hub a shell names", async () => {
    await keep(`NEST_HUB_URL=https://hub.example\nNEST_HUB_TOKEN=${TOKEN}\n`);
    const elsewhere = run(["audit"], { NEST_HUB_URL: "https://other.example" });
    await expect(elsewhere).rejects.toThrow("NEST_HUB_TOKEN is not set");
    expect(asked).toEqual([]);
  });

  test.each([0o644, 0o640, 0o604])("is not taken from a file that others can read (%o)", async (mode) => {
    await keep(`NEST_HUB_URL=https://hub.example\nNEST_HUB_TOKEN=${TOKEN}\n`, mode);
    await expect(run(["audit"])).rejects.toMatchObject({
      code: "bad_configuration",
      message: expect.stringContaining("other users of this machine can read it"),
    });
  });

  test("is missed by its name, with what to do", async () => {
    await expect(run(["audit"])).rejects.toThrow("NEST_HUB_URL is not set");
    await expect(run(["audit"], { NEST_HUB_URL: "https://hub.example" })).rejects.toThrow("NEST_HUB_TOKEN is not set");
  });

  test.each([
    "http://hub.example",
    "ftp://hub.example",
    "hub.example",
    "https://user@hub.example",
    "https://h.example?x=1",
  ])("is not %s: the token would go where others see it, or nowhere", async (address) => {
    await expect(run(["audit"], { ...here, NEST_HUB_URL: address })).rejects.toThrow("NEST_HUB_URL");
    expect(asked).toEqual([]);
  });

  test("a token on the command line is refused, and not repeated", async () => {
    const refused = run(["audit", `-search=${TOKEN}`], here);
    await expect(refused).rejects.toThrow("does not belong on the command line");
    await expect(refused).rejects.not.toThrow(TOKEN);
    expect(asked).toEqual([]);
  });
});

test("-h teaches every command, the flags, the environment and the exit codes, and asks nobody", async () => {
  const { code, printed } = await run(["-h"]);
  expect(code).toBe(0);
  for (const word of ["queue hold", "tasks take-back", "settings diff", "NEST_HUB_TOKEN", "exit codes", "-json"])
    expect(printed).toContain(word);
  expect(asked).toEqual([]);
});

test.each([
  [[]],
  [["nothing"]],
  [["queue", "burn"]],
  [["queue", "list", "x"]],
  [["queue", "hold"]],
  [["audit", "-colour"]],
])("%j is wrong usage", async (args) => {
  await expect(run(args, here)).rejects.toMatchObject({ code: "bad_configuration" });
});

test("what a hub sends cannot steer the terminal", async () => {
  const evil = "x\u001b]0;owned\u0007\u001b[2J\ny";
  const entry = { id: 1, at: "2026-01-01T00:00:00Z", actor: evil, action: evil, subject: evil, before: evil };
  const { printed } = await run(["audit"], here, { audit: [entry] });
  expect(printed.split("\n")).toHaveLength(3);
  expect(printed.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});
