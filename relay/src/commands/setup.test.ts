import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CommandDeps } from "./command.ts";
import { readSaved } from "./saved-env.ts";
import { contributeSetup } from "./setup.ts";

let home: string;
let told: string[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "nest-setup-"));
  told = [];
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** A machine with all that a relay needs, at a code host that knows ada and a hub that answers so. */
async function machine(status: number, answer: unknown): Promise<CommandDeps> {
  await mkdir(join(home, "bin"));
  for (const name of ["git", "claude"]) await writeFile(join(home, "bin", name), "#!/bin/sh\n", { mode: 0o755 });
  const reply = (url: string) =>
    url.endsWith("/user") ? Response.json({ login: "ada" }) : Response.json(answer, { status });
  return {
    environment: { HOME: home, PATH: join(home, "bin"), GH_TOKEN: "t", ANTHROPIC_API_KEY: "k" },
    out: { write: (text) => told.push(text) },
    error: { write: (text) => told.push(text) },
    fetch: (input) => Promise.resolve(reply(String(input))),
    run: () => Promise.resolve(0),
    attempt: () => Promise.resolve(undefined),
    read: () => Promise.resolve(undefined),
    now: () => 0,
  };
}

const setUp = (deps: CommandDeps, hub = "wss://hub.example/contribute") =>
  contributeSetup(["claude", "-hub", hub], deps);

test("what a hub says when it refuses is shown as one line without control characters", async () => {
  const deps = await machine(403, { error: "no\u001b]0;title\u0007\r\nnest: all is well", hint: 7 });
  await expect(setUp(deps)).rejects.toThrow(/^the hub did not register you: no[^\p{Cc}]*$/u);
});

test.each([
  { contributor_id: 5 },
  { contributor_id: "c-1", registration_token: "a,b", message: "" },
  { contributor_id: "c-1", registration_token: "a\nNEST_SANDBOX=off", message: "" },
])("an answer that is no registration is said to be none, and nothing is kept: %j", async (answer) => {
  await expect(setUp(await machine(200, answer))).rejects.toThrow("the hub's answer is no registration");
  expect(await readSaved({ HOME: home })).toEqual({});
});

test("the same hub, written otherwise, takes the place of its entry", async () => {
  const deps = await machine(200, { contributor_id: "c-1", registration_token: "t1", message: "" });
  await setUp(deps, "wss://hub.example/contribute");
  await setUp(deps, "https://hub.example/contribute/");
  expect(await readSaved({ HOME: home })).toMatchObject({ NEST_REGISTRATION_TOKEN: "t1", CONTRIBUTOR_ID: "c-1" });
});

test("who is registered already hears where the token is: here, or on the machine that registered", async () => {
  const deps = await machine(200, { contributor_id: "c-1", message: "" });
  expect(await setUp(deps)).toBe(1);
  expect(told.join("")).toMatch(/contributor\.env: copy that file here; -reissue/);
  await mkdir(join(home, ".config/nest"), { recursive: true });
  await writeFile(
    join(home, ".config/nest/contributor.env"),
    "NEST_HUB=wss://hub.example\nNEST_REGISTRATION_TOKEN=t\n",
  );
  expect(await setUp(deps)).toBe(1);
  expect(told.join("")).toContain("this machine has the token");
});

test("where the shell names one of several hubs, it is told how to work for all", async () => {
  const one = { contributor_id: "c-1", registration_token: "t1", message: "" };
  const deps = await machine(200, one);
  await setUp(deps, "wss://a.example/contribute");
  const shell = { ...deps.environment, NEST_HUB: "wss://b.example/contribute" };
  await contributeSetup(["claude"], { ...deps, environment: shell });
  expect(told.join("")).toContain("For all 2 hubs that are kept, first: unset NEST_HUB");
});

test("with -reissue, too, a hub gets the code-host token only after it has asked for it", async () => {
  const deps = await machine(200, {});
  const sent: (string | null)[] = [];
  const asks = (input: string | URL | Request, init?: RequestInit) => {
    if (String(input).endsWith("/user")) return Promise.resolve(Response.json({ login: "ada" }));
    const proof = new Headers(init?.headers).get("authorization");
    sent.push(proof);
    const answer = { contributor_id: "c-1", registration_token: "t2", message: "" };
    return Promise.resolve(
      proof === null ? Response.json({ error: "prove it" }, { status: 401 }) : Response.json(answer),
    );
  };
  const arguments_ = ["claude", "-hub", "wss://hub.example/contribute", "-reissue"];
  expect(await contributeSetup(arguments_, { ...deps, fetch: asks })).toBe(0);
  expect(sent).toEqual([null, "Bearer t"]);
  expect(told.join("")).toContain("sending your code-host token");
});
