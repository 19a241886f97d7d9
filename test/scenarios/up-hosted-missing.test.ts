import { chmod, chown, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isChromiumMissing, launchChromium } from "../harness/chromium.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { pathWithout } from "../harness/path-here.ts";
import { readableByOthers } from "../harness/process-here.ts";
import { signInHere } from "../harness/sign-in-here.ts";
import { UpHere } from "../harness/up-here.ts";
import { buildApp } from "../harness/web-hub.ts";
import { realClusterFolder } from "../real-cluster/real-cluster.ts";

const READY = /^Nest is running\.$/m;
const PAGES = ["/my-nests", "/my-nests/new", "/clusters"];
const CACHE = join(homedir(), ".cache");
const isReadable = await readableByOthers();
const missingBrowser = isChromiumMissing("what nest up -hosted lacks");

describe.skipIf(missingBrowser)("nest up -hosted on a machine that lacks something", { timeout: 120_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    buildApp();
    browser = await launchChromium();
  }, 60_000);
  afterAll(() => browser?.close());

  interface Lack {
    readonly without: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
    readonly what: RegExp;
    readonly command: RegExp;
  }
  const lacks: Readonly<Record<string, Lack>> = {
    podman: {
      without: ["podman"],
      environment: { XDG_CACHE_HOME: CACHE },
      what: /podman is not installed/,
      command: /apt-get install podman/,
    },
    "the program that makes networks": {
      without: ["podman", "ip"],
      environment: { XDG_CACHE_HOME: CACHE },
      what: /ip is not installed/,
      command: /apt-get install iproute2/,
    },
    "an API server and the means to build it": {
      without: ["podman", "go"],
      environment: { XDG_CACHE_HOME: "/nonexistent" },
      what: /the Kubernetes API server is not on this machine, and there is no Go toolchain/,
      command: /local-cluster\/server\/build\.sh/,
    },
  };

  async function shown(up: UpHere, check: (page: Page, path: string) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await signInHere(context, { hubUrl: up.hubUrl, login: "ada-fern", to: "/my-nests" });
    for (const path of PAGES) {
      await page.goto(up.hubUrl + path);
      await check(page, path);
    }
    await context.close();
  }

  test.each(Object.keys(lacks))(
    "without %s the hub runs, and terminal and pages tell what is missing and what brings it",
    async (name) => {
      const { without, environment, what, command } = lacks[name] as Lack;
      await using folder = await FolderHere.make("up-lacks");
      const up = await UpHere.make(folder.path, ["-hosted", "-no-relay"]);
      const PATH = await pathWithout(folder.in("bin"), ...without);
      await using running = up.start({ ...environment, PATH });
      await running.says(READY);
      const [terminal] = await running.says(/hosted nests cannot be created yet\. Missing:\n[\s\S]*start again\.\n/);
      expect(terminal).toMatch(what);
      expect(terminal).toMatch(command);
      await shown(up, async (page) => {
        await page.getByText(what).first().waitFor();
        await page.getByText(command).first().waitFor();
      });
      expect(running.said).not.toMatch(/error|^\s+at /m);
    },
  );

  test.skipIf(process.getuid?.() !== 0 || !isReadable)(
    "without root the hub runs, and terminal and pages tell that pods need it",
    async () => {
      const nobody = 65_534;
      await using folder = await FolderHere.make("up-lacks");
      await chown(folder.path, nobody, nobody);
      const up = await UpHere.make(folder.path, ["-hosted", "-no-relay"]);
      const built = { XDG_CACHE_HOME: folder.in("cache") };
      await using running = up.start(built, { user: nobody });
      await running.says(READY);
      await running.says(/only root may make\n\s+sudo npm start -- -hosted\n/);
      await shown(up, (page) => page.getByText("sudo npm start -- -hosted").first().waitFor());
    },
  );

  test("without the nests' image, podman is asked and the command that makes it is told", async () => {
    await using folder = await FolderHere.make("up-lacks");
    const up = await UpHere.make(folder.path, ["-hosted", "-no-relay"]);
    const PATH = await pathWithout(folder.in("bin"), "podman");
    // As podman answers for an image that it does not have.
    await writeFile(folder.in("bin/podman"), "#!/bin/sh\nexit 1\n");
    await chmod(folder.in("bin/podman"), 0o755);
    await using running = up.start({ XDG_CACHE_HOME: CACHE, PATH });
    await running.says(READY);
    await running.says(/localhost\/nest-spoke:latest, is not on this machine\n\s+npm run images -- nest-spoke\n/);
    await shown(up, (page) => page.getByText("npm run images -- nest-spoke").first().waitFor());
  });

  test.skipIf(realClusterFolder() === undefined)(
    "a port that another program has keeps the cluster from starting, not the hub; terminal and pages tell which",
    async () => {
      await using folder = await FolderHere.make("up-lacks");
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const { port } = other.address() as AddressInfo;
      const up = await UpHere.make(folder.path, ["-hosted", "-no-relay", "-entrance-port", String(port)]);
      const PATH = await pathWithout(folder.in("bin"), "podman");
      await writeFile(folder.in("bin/podman"), "#!/bin/sh\nexit 0\n");
      await chmod(folder.in("bin/podman"), 0o755);
      await using running = up.start({ XDG_CACHE_HOME: CACHE, PATH });
      await running.says(READY);
      const told = new RegExp(
        `port ${port} is taken, and hosted nests need it; it is the entrance's: end what listens`,
      );
      expect(running.output).toMatch(told);
      await shown(up, (page) => page.getByText(told).first().waitFor());
      other.close();
    },
  );

  test("while the API server is built the pages say so and how long it takes; a build that fails is told with the way to see why", async () => {
    await using folder = await FolderHere.make("up-lacks");
    const up = await UpHere.make(folder.path, ["-hosted", "-no-relay"]);
    const PATH = await pathWithout(folder.in("bin"), "podman", "go");
    const program = async (name: string, text: string) => {
      await writeFile(folder.in("bin", name), `#!/bin/sh\n${text}\n`);
      await chmod(folder.in("bin", name), 0o755);
    };
    await program("podman", "exit 0");
    const mayFail = folder.in("may-fail");
    await program(
      "go",
      `while [ ! -e ${mayFail} ]; do sleep 0.1; done; echo 'the module proxy cannot be reached' >&2; exit 1`,
    );
    await using running = up.start({ XDG_CACHE_HOME: folder.in("cache"), PATH });
    await running.says(READY);
    await running.says(/ready once the Kubernetes API server is built: some ten minutes on two cores, once/);
    await shown(up, (page) =>
      page
        .getByText(/is being built: some ten minutes/)
        .first()
        .waitFor(),
    );
    await writeFile(mayFail, "");
    await expect.poll(() => running.said).toContain("hosted nests: the API server could not be built: ");
    await shown(up, (page) =>
      page
        .getByText(/could not be built/)
        .first()
        .waitFor(),
    );
    running.signal("SIGINT");
    expect(await running.ended).toMatchObject({ code: 0 });
  });
});

test.each<[readonly string[], RegExp]>([
  [["-entrance-port", "8088"], /^nest up: error: -entrance-port needs -hosted$/m],
  [["-hosted", "-repo", "acme/one"], /^nest up: error: -hosted works with the local code host alone, not with -repo$/m],
])("nest up %j is refused with what is wrong", async (flags, line) => {
  await using folder = await FolderHere.make("up-lacks");
  const up = await UpHere.make(folder.path, flags);
  await using refused = up.start({ GITHUB_TOKEN: "ghp_x" });
  expect(await refused.ended).toMatchObject({ code: 2 });
  expect(refused.said).toMatch(line);
});
