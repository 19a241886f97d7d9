import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { DEMO_AGENT } from "@nest/demo-agent";
import { systemClock } from "@nest/kit";
import {
  DEMO_CONTRIBUTORS,
  DEMO_HUB_TOKEN,
  demoSeed,
  type LocalCodeHost,
  startLocalCodeHost,
} from "@nest/local-codehost";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bundle, bundle } from "../../scripts/bundle.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { HubProcess } from "../harness/hub-process.ts";
import { ProcessHere } from "../harness/process-here.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const SYSTEM_NODE = "/usr/bin/node";
const hasSystemNode = await access(SYSTEM_NODE).then(
  () => true,
  () => false,
);
if (!hasSystemNode && process.env.CI === "true") throw new Error(`${SYSTEM_NODE} is missing`);

let folder: FolderHere;
let made: Bundle;
let codeHost: LocalCodeHost;
let hub: HubProcess;

beforeAll(async () => {
  folder = await FolderHere.make("bundle");
  made = await bundle(folder.in("dist"));
  // What the hub hands out lies in the checkout.
  await run(process.execPath, [join(ROOT, "scripts/build-relay.mjs")]);
  const installed = ["install", "-g", "--offline", "--prefix", folder.in("prefix"), made.tarball];
  // A home of its own: npm finds no cache there that it could take anything from.
  await run("npm", installed, { cwd: folder.path, env: { PATH: process.env.PATH, HOME: folder.in("npm-home") } });
  codeHost = await startLocalCodeHost({
    dataDir: folder.in("codehost"),
    seed: await demoSeed(),
    clock: systemClock(),
  });
  hub = await HubProcess.start({
    folder: folder.in("hub"),
    apiUrl: codeHost.apiUrl,
    repos: ["meadow/tide-clock"],
    token: DEMO_HUB_TOKEN,
    contribute: { open_registration: false },
  });
  await hub.refresh();
});

afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await codeHost?.close();
  await folder?.[Symbol.asyncDispose]();
});

/** A contributor whose machine has this Node first on its PATH, and no checkout. */
async function newcomer(name: string, node: string, token: string) {
  const [home, tools] = [folder.in(name), folder.in(name, "tools")];
  await mkdir(tools, { recursive: true });
  await symlink(node, join(tools, "node"));
  const environment = {
    PATH: `${folder.in("prefix", "bin")}:${tools}:/usr/bin:/bin`,
    HOME: home,
    TMPDIR: home,
    NEST_HUB: `${hub.url.replace("http", "ws")}/contribute`,
    NEST_AGENT_COMMAND: DEMO_AGENT,
    NEST_GITHUB_URL: codeHost.webUrl,
    NEST_GITHUB_API_URL: codeHost.apiUrl,
    CONTRIBUTOR_MODE: "headless",
    GH_TOKEN: token,
  };
  return (command: string, args: readonly string[]) =>
    new ProcessHere(relative(join(ROOT, "bin"), folder.in("prefix", "bin", command)), args, environment);
}

async function verified(login: string): Promise<number> {
  const activity = await hub.activity();
  return activity.filter((entry) => entry.action === "pull request verified" && JSON.stringify(entry).includes(login))
    .length;
}

const [one, another] = DEMO_CONTRIBUTORS;

describe("the relay's package", () => {
  test.each([
    ["the system's Node", SYSTEM_NODE, one, hasSystemNode],
    ["the project's Node", process.execPath, another, true],
  ] as const)(
    "takes a newcomer with %s to a verified pull request in two commands",
    async (name, node, who, isHere) => {
      if (!isHere) {
        console.log(`skipped: there is no ${node}`);
        return;
      }
      const start = await newcomer(name.replaceAll(/\W/g, "-"), node, who.token);
      await using setup = start("contribute-setup", ["claude"]);
      expect((await setup.ended).code, setup.said).toBe(0);
      expect(setup.output).toContain(`Registered as ${who.login}`);

      await using relay = start("contribute-hive", ["claude", "local"]);
      await expect.poll(() => verified(who.login), { timeout: 25_000, message: relay.said }).toBeGreaterThan(0);
      relay.signal("SIGTERM");
      expect(await relay.ended, relay.said).toEqual({ code: 0, signal: null });
      expect(relay.said).not.toContain(who.token);
      expect(relay.said).not.toMatch(/\(node:\d+\)/);
    },
  );

  test("is handed out by the hub, and npx of that address runs every command in an empty folder", async () => {
    const address = `${hub.url}/contribute/relay.tgz`;
    const response = await fetch(address);
    expect(response.status, await response.clone().text()).toBe(200);
    const digest = createHash("sha256")
      .update(Buffer.from(await response.arrayBuffer()))
      .digest("hex");
    expect(await (await fetch(`${address}.sha256`)).text()).toBe(`${digest}  relay.tgz\n`);
    await mkdir(folder.in("empty"));
    const env = { PATH: process.env.PATH, HOME: folder.in("npx-home"), NEST_REGISTRATION_TOKEN: "" };
    const npx = (...words: string[]) =>
      run("npx", ["--yes", "-p", address, ...words], { cwd: folder.in("empty"), env });
    expect((await npx("nest-relay", "-version")).stdout).toBe(`${made.version}\n`);
    expect((await npx("contribute-check", "-h")).stdout).toMatch(/^usage: contribute-check/);
    const bare = await run("npx", ["--yes", address, "-h"], { cwd: folder.in("empty"), env });
    expect(bare.stdout).toMatch(/^usage: nest relay/);
  });

  test("brings nest-backup, which says what it needs on an older Node", async () => {
    await using old = (await newcomer("old-node", SYSTEM_NODE, ""))("nest-backup", ["-h"]);
    const { code } = await old.ended;
    if (process.versions.node === (await run(SYSTEM_NODE, ["-p", "process.versions.node"])).stdout.trim()) return;
    expect([code, old.said]).toEqual([2, expect.stringMatching(/Node \S+ is too old for archives/)]);
    await using fresh = (await newcomer("new-node", process.execPath, ""))("nest-backup", ["-h"]);
    expect((await fresh.ended).code, fresh.said).toBe(0);
    expect(fresh.output).toContain("usage: nest-backup");
  });

  test("has every command, tells its version, and keeps the exit codes", async () => {
    const start = await newcomer("looking", process.execPath, "");
    for (const command of [
      "contribute-setup",
      "contribute-check",
      "contribute-hive",
      "contribute-nest",
      "contribute-k8s",
    ]) {
      await using asked = start(command, ["-h"]);
      expect(await asked.ended, asked.said).toEqual({ code: 0, signal: null });
      expect(asked.output).toMatch(/^usage: contribute-/);
    }
    await using version = start("nest-relay", ["-version"]);
    await version.ended;
    expect(version.output).toBe(`${made.version}\n`);
    await using unregistered = start("nest-relay", []);
    expect((await unregistered.ended).code).toBe(2);
    expect(unregistered.said).toContain("NEST_REGISTRATION_TOKEN: missing");
  });

  test("is the same, byte for byte, when it is made again, and knows nothing of the machine that made it", async () => {
    const again = await bundle(folder.in("again"));
    const parts = ["relay", "tarball", "backup"] as const;
    for (const part of parts) expect(await readFile(made[part])).toEqual(await readFile(again[part]));
    for (const part of ["relay", "backup"] as const) expect(await readFile(made[part], "utf8")).not.toContain(ROOT);
  });

  test("the backup tool's one file runs on the project's Node", async () => {
    const { stdout } = await run(process.execPath, [made.backup, "-h"], { cwd: folder.path });
    expect(stdout).toContain("usage: nest-backup");
    await mkdir(folder.in("data/saas"), { recursive: true });
    await writeFile(folder.in("data/saas/hub-id"), "bundled\n");
    await writeFile(folder.in("data/hub-registry.json"), '{"nests":[]}');
    const words = ["run", "-local", folder.in("archive.enc"), "-skip-secrets", "-skip-spokes", "-json"];
    const env = { PATH: process.env.PATH, NEST_BACKUP_DATA_DIR: folder.in("data"), NEST_BACKUP_KEY: "ab".repeat(32) };
    const archive = await run(process.execPath, [made.backup, ...words], { cwd: folder.path, env });
    expect(JSON.parse(archive.stdout).manifest).toMatchObject({ hub_id: "bundled", tool_version: made.version });
  });
});
