import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { DEMO_AGENT } from "@nest/demo-agent";
import { systemClock } from "@nest/kit";
import { demoSeed, startLocalCodeHost } from "@nest/local-codehost";
import { expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { ProcessHere } from "../harness/process-here.ts";
import { UpHere } from "../harness/up-here.ts";

test("as a code-host app, the relay works with tokens of the task alone, and the app's pull requests count for the contributor", async () => {
  await using folder = await FolderHere.make("up-app");
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyFile = folder.in("app.pem");
  await writeFile(keyFile, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  const app = {
    id: 777,
    slug: "nest-app",
    publicKey: publicKey.export({ type: "spki", format: "pem" }) as string,
    installationId: 100,
    account: "meadow",
  };
  const seed = { ...(await demoSeed()), apps: [app] };
  const codeHost = await startLocalCodeHost({ dataDir: folder.in("codehost"), seed, clock: systemClock() });

  const flags = [
    "-repo",
    "meadow/tide-clock",
    "-app-id",
    "777",
    "-installation-id",
    "100",
    "-app-key",
    keyFile,
    "-login",
    "ada-fern",
    "-backend",
    "claude",
  ];
  const up = await UpHere.make(folder.path, flags);
  await using running = new ProcessHere("nest", up.flags, {
    HOME: folder.path,
    NEST_GITHUB_API_URL: codeHost.apiUrl,
    NEST_GITHUB_URL: codeHost.webUrl,
    NEST_AGENT_COMMAND: DEMO_AGENT,
  });
  await running.says(/^Nest is running\.$/m);
  await expect.poll(() => up.verified().then((urls) => urls.length), { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
  const stranger = await fetch(`${up.hubUrl}/api/contribute/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ github_username: "mallory" }),
  });
  expect(stranger.status).toBe(401);
  const [url = ""] = await up.verified();
  const pull = (await (await fetch(url.replace(/(\/meadow\/tide-clock)\/pull\//, "/repos$1/pulls/"))).json()) as {
    user: { login: string };
    body: string;
  };
  expect(pull.user.login).toBe("nest-app[bot]");
  expect(pull.body).toMatch(/Fixes #\d+/);
  running.signal("SIGINT");
  expect(await running.ended).toMatchObject({ code: 0 });
  await codeHost.close();
}, 90_000);
