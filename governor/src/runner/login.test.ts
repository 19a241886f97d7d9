import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodeHostMemory } from "@nest/codehost";
import { Secret, silentLog, VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunLogin } from "./login.ts";

let credentialFolder = "";
beforeEach(async () => {
  credentialFolder = await mkdtemp(join(tmpdir(), "nest-run-login-"));
});
afterEach(() => rm(credentialFolder, { recursive: true }));

const loginOf = (kind: "app" | "token", autonomy: "advise" | "pull_requests") => {
  const codeHost = new CodeHostMemory({ kind });
  codeHost.addRepository("acme/web");
  const token = kind === "token" ? new Secret("token-of-a-person") : undefined;
  const deps = { codeHost, token, webBase: "https://github.com", credentialFolder };
  const login = RunLogin.create(
    { ...deps, clock: new VirtualClock(), log: silentLog(), learn: () => undefined },
    "acme/web",
    autonomy,
  );
  return login.then((made) => ({ made, codeHost }));
};

test("a person's token serves the checkout, and is gone before an agent that may not push begins", async () => {
  const { made } = await loginOf("token", "advise");
  expect(await readdir(credentialFolder)).toHaveLength(1);
  await made.checkedOut();
  expect(await readdir(credentialFolder)).toEqual([]);
  expect(made.agentEnvironment).toEqual({ GIT_TERMINAL_PROMPT: "0" });
  await made.end();
});

test("an agent that may push has it until its run ends", async () => {
  const { made } = await loginOf("token", "pull_requests");
  await made.checkedOut();
  expect(made.agentEnvironment.GH_TOKEN).toBe("token-of-a-person");
  expect(await readdir(credentialFolder)).toHaveLength(1);
  await made.end();
  expect(await readdir(credentialFolder)).toEqual([]);
});

test("an app's token opens one repository with the level's permissions, and is revoked at the end", async () => {
  const { made, codeHost } = await loginOf("app", "advise");
  const [credential] = [...codeHost.credentials.values()];
  expect(credential).toMatchObject({ repo: "acme/web", permissions: { contents: "read", issues: "read" } });
  await made.end();
  expect([...codeHost.credentials.values()]).toEqual([]);
});
