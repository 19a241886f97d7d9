import { generateKeyPairSync } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { DEMO_AGENT } from "@nest/demo-agent";
import { systemClock } from "@nest/kit";
import { demoSeed, type LocalCodeHost, startLocalCodeHost } from "@nest/local-codehost";
import { expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { HubProcess } from "../harness/hub-process.ts";
import { RelayProcess } from "../harness/relay-process.ts";

// From newcomer to trusted under an app: with a login of one's own, and what somebody without one is told.

const REPO = "meadow/tide-clock";
const SOON = { timeout: 60_000, interval: 200 };

/** A code host with the demo's repositories and one app, and a hub that is this app. */
async function aHub(folder: FolderHere): Promise<{ hub: HubProcess; codeHost: LocalCodeHost }> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyFile = folder.in("app.pem");
  await writeFile(keyFile, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  const pem = publicKey.export({ type: "spki", format: "pem" }) as string;
  const app = { id: 777, slug: "nest-app", publicKey: pem, installationId: 100, account: "meadow" };
  const seed = {
    ...(await demoSeed()),
    tokens: { "ada-login-token": "ada-fern", "bob-login-token": "bob" },
    apps: [app],
  };
  const codeHost = await startLocalCodeHost({ dataDir: folder.in("codehost"), seed, clock: systemClock() });
  const limits = { max_per_hour: 0, max_per_day: 0 };
  const hub = await HubProcess.start({
    folder: folder.in("hub"),
    apiUrl: codeHost.apiUrl,
    repos: [REPO],
    github: { app_id: 777, installation_id: 100, key_file: keyFile },
    contribute: {
      open_registration: false,
      contribute_contributor_at: 1,
      contribute_trusted_at: 2,
      tier_limits: { newcomer: limits, contributor: limits, trusted: limits },
    },
    evalIntervalS: 86_400,
  });
  await hub.refresh();
  return { hub, codeHost };
}

async function register(hub: HubProcess, login: string, token: string): Promise<string> {
  const response = await fetch(`${hub.url}/api/contribute/register`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ github_username: login }),
  });
  return ((await response.json()) as { registration_token: string }).registration_token;
}

interface History {
  readonly history: readonly { readonly pr_state?: string; readonly pr_url?: string; readonly task_gen: number }[];
}

test("a newcomer with a login of their own opens pull requests by it, is promoted, and then works with the app's token up to trusted", async () => {
  await using folder = await FolderHere.make("ladder");
  const { hub, codeHost } = await aHub(folder);
  await using _ = hub;
  const token = await register(hub, "ada-fern", "ada-login-token");
  const home = folder.in("ada");
  await mkdir(home);
  const codeHostUrl = codeHost.url;
  await using _relay = new RelayProcess({
    folder: home,
    socket: hub.socket,
    token,
    agent: DEMO_AGENT,
    codeHostUrl,
    environment: { GH_TOKEN: "ada-login-token" },
  });
  const tierOf = async () => (await hub.contributors())[0]?.trust_tier;
  await expect.poll(tierOf, SOON).toBe("trusted");
  const verified = async () =>
    (await hub.call<History>("GET", "/api/contributors/ada-fern")).history
      .filter(({ pr_state: state }) => state === "verified")
      .map(({ pr_url: url }) => url ?? "")
      .reverse();
  const authorOf = async (url: string) => {
    const address = url.replace(/(\/meadow\/tide-clock)\/pull\//, "/repos$1/pulls/");
    return ((await (await fetch(address)).json()) as { user: { login: string } }).user.login;
  };
  const authors = async () => Promise.all((await verified()).map(authorOf));
  // The relay may be given its second task before the first pull request is verified, and with it the promotion.
  await expect.poll(authors, SOON).toContain("nest-app[bot]");
  const [first, ...others] = await authors();
  expect(first).toBe("ada-fern");
  expect(others.slice(others.indexOf("nest-app[bot]"))).not.toContain("ada-fern");
  await codeHost.close();
}, 120_000);

test("a newcomer without a login of their own is told so before the first task, and no task is spoiled for it", async () => {
  await using folder = await FolderHere.make("ladder-without");
  const { hub, codeHost } = await aHub(folder);
  await using _ = hub;
  const token = await register(hub, "bob", "bob-login-token");
  const home = folder.in("bob");
  await mkdir(home);
  await using relay = new RelayProcess({
    folder: home,
    socket: hub.socket,
    token,
    agent: DEMO_AGENT,
    codeHostUrl: codeHost.url,
    environment: { PATH: "/usr/bin:/bin" },
  });
  const told = /no work is asked for at \S+ .*you are not signed in to the code host/;
  await expect.poll(() => relay.process.said, SOON).toMatch(told);
  const status = await hub.status();
  expect(status.in_flight).toBe(0);
  expect((await hub.call<History>("GET", "/api/contributors/bob")).history).toEqual([]);
  expect(status.actionable_items).toBe(status.total_items);
  await codeHost.close();
}, 60_000);
