import { readdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { nests } from "@nest/protocol";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isChromiumMissing, launchChromium, pictureFor } from "../harness/chromium.ts";
import { PodmanHere } from "../harness/contributor-image.ts";
import { FolderHere, freePorts } from "../harness/folder-here.ts";
import { type ProcessHere, processesAbout } from "../harness/process-here.ts";
import { signInHere } from "../harness/sign-in-here.ts";
import { UpHere } from "../harness/up-here.ts";
import { buildApp } from "../harness/web-hub.ts";
import { whyNoPods } from "../real-cluster/real-node.ts";

const READY = /^Nest is running\.$/m;
const [OWNER, STRANGER] = ["ada-fern", "ben-alder"];
const SERVERS = /\/(etcd|kube-apiserver|kube-controller-manager|kube-scheduler|stub-kubelet) /;
const impossible = isChromiumMissing("the hosted nests of nest up") ? "no browser" : await whyNoPods();

describe.skipIf(impossible !== undefined)("nest up -hosted", { timeout: 240_000 }, () => {
  let folder: FolderHere;
  let podman: PodmanHere;
  let browser: Browser;
  let up: UpHere;
  let running: ProcessHere;
  let environment: Record<string, string> = {};
  let id = "";
  let entrance = 0;

  beforeAll(async () => {
    buildApp();
    folder = await FolderHere.make("up-hosted");
    podman = await PodmanHere.make(folder);
    const { NEST_TEST_CACHE: cache } = process.env;
    environment = {
      ...podman.environment,
      NEST_SPOKE_IMAGE: await podman.image("nest-spoke"),
      XDG_CACHE_HOME: join(homedir(), ".cache"),
      ...(cache === undefined ? {} : { NEST_TEST_CACHE: cache }),
    };
    [entrance = 0] = await freePorts(1);
    up = await UpHere.make(folder.path, ["-hosted", "-no-relay", "-entrance-port", String(entrance)]);
    browser = await launchChromium();
    running = up.start(environment);
    await running.says(READY, 120_000);
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await running?.[Symbol.asyncDispose]();
    await podman?.removeImages();
    await folder?.[Symbol.asyncDispose]();
  }, 60_000);

  async function signedIn(login: string, to: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    return signInHere(context, { hubUrl: up.hubUrl, login, to });
  }
  /** Containers of a run's node, by the process of that run: other tests run pods of their own. */
  const pods = async (pid = running.pid, which: "all" | "running" = "all") => {
    const listed = which === "all" ? ["ps", "-a"] : ["ps"];
    const all = await podman.run(...listed, "--format", '{{.ID}} {{index .Labels "nest.node"}}');
    const ours = all.split("\n").filter((line) => line.includes(` nk${pid}-`));
    return ours.map((line) => line.split(" ")[0] ?? "");
  };
  const volume = async () => {
    const volumes = folder.in("data/cluster/node/volumes");
    return join(volumes, (await readdir(volumes))[0] ?? "");
  };
  const servers = async () => (await processesAbout(folder.path)).filter((line) => SERVERS.test(line));

  test("a newcomer creates a nest in the browser with what the terminal tells, sees its steps, opens it, and is in its dashboard", async () => {
    const [, wizard = ""] = await running.says(/^ {2}new nest {4}(\S+) /m);
    const [, token = ""] = await running.says(/local code host only: (\S+)$/m);
    const page = await signedIn(OWNER, new URL(wizard).pathname);
    const next = () => page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("textbox", { name: "Repository" }).fill("meadow/tide-clock");
    await next();
    await next();
    await page.getByLabel("Token", { exact: true }).fill(token);
    await next();
    expect(await page.getByRole("radio", { name: /^this machine/ }).isChecked()).toBe(true);
    await next();
    await page.getByRole("button", { name: "Create the nest" }).click();
    await page.waitForURL(/\/my-nests\/hosted-/);
    id = page.url().split("/").at(-1) ?? "";
    await page.getByText(/^All \d+ steps are done\.$/).waitFor({ timeout: 120_000 });
    await page.getByText("online", { exact: true }).waitFor({ timeout: 60_000 });
    await page.getByRole("link", { name: "Open" }).click();
    await page.waitForURL(`http://${id}.localhost:${entrance}/overview`);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByText("meadow/tide-clock").first().waitFor();
    await pictureFor(page, "up-hosted-nest");
    await page.context().close();
  });

  test("a stranger is led to where they can ask for access, and does not come in with the owner's address", async () => {
    const page = await signedIn(STRANGER, "/my-nests");
    await page.goto(`http://${id}.localhost:${entrance}/overview`);
    await page.waitForURL(new RegExp(`/my-nests/${id}/no-access$`));
    // Called by address: only browsers know names below localhost by themselves.
    const call = await page.request.get(`http://127.0.0.1:${entrance}/api/config`, {
      headers: { host: `${id}.localhost:${entrance}` },
      maxRedirects: 0,
    });
    expect(call.status()).toBe(403);
    await page.context().close();
  });

  test("the nest's pod reaches the hub under its name for pods", async () => {
    const clusters = JSON.parse(await readFile(folder.in("data/hub/clusters.json"), "utf8")) as { hub_url: string }[];
    const url = `${clusters[0]?.hub_url}/api/health`;
    // Init containers have ended.
    const [pod = ""] = await pods(running.pid, "running");
    await podman.run("exec", pod, "/opt/nest/bin/nest-health", url);
  });

  test("Ctrl-C ends every process and pod; the next start finds the nest with its data, and it opens again", async () => {
    await writeFile(join(await volume(), "mark"), "kept");
    running.signal("SIGINT");
    expect(await running.ended, running.said).toMatchObject({ code: 0 });
    await expect.poll(() => processesAbout(folder.in("data")), { timeout: 10_000 }).toEqual([]);
    expect(await pods()).toEqual([]);
    running = up.start(environment);
    await running.says(READY, 120_000);
    await opensAgain();
    expect(await readFile(join(await volume(), "mark"), "utf8")).toBe("kept");
  });

  test("a kill -9 leaves nothing that the next start does not clean up", async () => {
    const before = await servers();
    expect(before).toHaveLength(5);
    const killed = running.pid;
    expect(await pods()).not.toEqual([]);
    running.signal("SIGKILL");
    await running.ended;
    running = up.start(environment);
    await running.says(READY, 120_000);
    await opensAgain();
    const after = await servers();
    expect(after).toHaveLength(5);
    expect(after.filter((line) => before.includes(line))).toEqual([]);
    expect(await pods(killed)).toEqual([]);
  });

  test("a deleted nest goes with its pod and its volume", async () => {
    const page = await signedIn(OWNER, "/my-nests");
    const gone = await page.request.delete(`${up.hubUrl}/api/saas/nests/${id}?confirm=${id}`, {
      headers: { origin: up.hubUrl },
    });
    expect(gone.status(), await gone.text()).toBe(200);
    const read = async () => {
      const { nests: left } = (await (await page.request.get(`${up.hubUrl}/api/saas/my-nests`)).json()) as {
        nests: nests.NestRow[];
      };
      return [left.length, (await pods()).length, (await readdir(folder.in("data/cluster/node/volumes"))).length];
    };
    await expect.poll(read, { timeout: 60_000 }).toEqual([0, 0, 0]);
    await page.context().close();
  });

  /** Opens the nest by way of the hub, as soon as its pod runs again. */
  async function opensAgain(): Promise<void> {
    const page = await signedIn(OWNER, "/my-nests");
    const open = async () => {
      await page.goto(`${up.hubUrl}/api/saas/nests/${id}/open?to=/overview`);
      return page.getByRole("heading", { name: "Overview" }).count();
    };
    await expect.poll(open, { timeout: 120_000, interval: 1000 }).toBe(1);
    await page.context().close();
  }
});
