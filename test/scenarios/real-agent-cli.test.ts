import { mkdir, readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { closingReferences, GitHub } from "@nest/codehost";
import { Secret, systemClock } from "@nest/kit";
import { type LocalCodeHost, startLocalCodeHost } from "@nest/local-codehost";
import { describe, type TestContext, test } from "vitest";
import { contributorScript } from "../fakes/model-endpoint/contributor-script.ts";
import { ModelEndpoint } from "../fakes/model-endpoint/model-endpoint.ts";
import { aider, MODEL, type RealCli, realClis } from "../harness/agent-cli-settings.ts";
import { agentCli, aiderCli } from "../harness/agent-clis.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { HubProcess } from "../harness/hub-process.ts";
import { processesAbout } from "../harness/process-here.ts";
import { RelayProcess } from "../harness/relay-process.ts";

const TOKENS = { hub: "hub-token-of-the-test", ada: "token-of-ada" };
const REPO = "acme/one";
const SLOW_MS = 300_000;
const TEST_CACHE = process.env.NEST_TEST_CACHE ?? join(homedir(), ".cache/nest-test");

function aCodeHost(dataDir: string): Promise<LocalCodeHost> {
  const issue = { title: "The README is too short", body: "One more sentence, please.", author: "bob", labels: [] };
  return startLocalCodeHost({
    dataDir,
    clock: systemClock(),
    seed: {
      organisations: ["acme"],
      tokens: { [TOKENS.hub]: "acme-nest", [TOKENS.ada]: "ada" },
      repositories: [{ owner: "acme", name: "one", files: { "README.md": "# One\n" }, issues: [issue] }],
    },
  });
}

/** Hub, code host, scripted model and a relay with a real CLI, all of them processes or servers of their own. */
class Scene implements AsyncDisposable {
  readonly folder: FolderHere;
  readonly codeHost: LocalCodeHost;
  readonly model: ModelEndpoint;
  readonly hub: HubProcess;
  readonly relay: RelayProcess;

  private constructor(parts: Pick<Scene, "folder" | "codeHost" | "model" | "hub" | "relay">) {
    this.folder = parts.folder;
    this.codeHost = parts.codeHost;
    this.model = parts.model;
    this.hub = parts.hub;
    this.relay = parts.relay;
  }

  static async set(cli: RealCli, agent: string, environment: Record<string, string>, parent?: string): Promise<Scene> {
    const folder = await FolderHere.make("real-agent", parent);
    const home = folder.in("home");
    await mkdir(home);
    await mkdir(folder.in("tmp"));
    const codeHost = await aCodeHost(folder.in("codehost"));
    const { apiUrl } = codeHost;
    const model = await (cli === aider
      ? ModelEndpoint.start(() => ({ say: "I run no commands.\n\nNEST_VERDICT: blocked a person has to push it" }), {
          hasShell: false,
        })
      : ModelEndpoint.start(contributorScript(codeHost.url)));
    const hub = await HubProcess.start({ folder: folder.in("hub"), apiUrl, repos: [REPO], token: TOKENS.hub });
    await hub.refresh();
    const relay = new RelayProcess({
      folder: home,
      socket: hub.socket,
      token: (await hub.register("ada")).registration_token,
      agent,
      codeHostUrl: codeHost.url,
      environment: {
        AGENT_BACKEND: cli.backend,
        AGENT_MODEL: MODEL,
        GH_TOKEN: TOKENS.ada,
        TMPDIR: folder.in("tmp"),
        ...environment,
        ...(await cli.settle(home, model.url)),
      },
    });
    return new Scene({ folder, codeHost, model, hub, relay });
  }

  async standing() {
    return (await this.hub.contributors())[0];
  }

  pullRequests() {
    const asAda = { kind: "token", token: new Secret(TOKENS.ada) } as const;
    return new GitHub({ credentials: asAda, apiUrl: this.codeHost.apiUrl }).openPullRequests(REPO);
  }

  /** For the reader of a failed test. */
  story(): string {
    return `${this.relay.process.said}\n${JSON.stringify(this.model.talks.at(-1)?.results, null, 2)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.relay[Symbol.asyncDispose]();
    await this.hub[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    await this.codeHost.close();
    await this.folder[Symbol.asyncDispose]();
  }
}

const modes = ["headless", "interactive"] as const;
const cases = realClis.flatMap((cli) => modes.map((mode) => ({ ...cli, mode })));
/** How CLIs work on a contributor's own machine, where a sandbox lets them run any command. */
const sandboxed = cases.filter(({ backend, mode }) => (mode === "headless") !== (backend === "copilot"));

/** How many scenes play at once: each keeps a processor busy while its CLI starts. */
const PLACES = 2;
const waiting: (() => void)[] = [];
let taken = 0;

/** A place on the machine, given back at the end of the test. */
async function aPlace(): Promise<Disposable> {
  if (taken >= PLACES) await new Promise<void>((resolve) => waiting.push(resolve));
  else taken += 1;
  return {
    [Symbol.dispose]() {
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next();
    },
  };
}

/** Where the CLI is; a machine without it skips the test and says why. */
async function here(cli: RealCli, { skip }: TestContext): Promise<string> {
  return (await agentCli(cli.program)) ?? skip(`${cli.program} is not installed: npm ci in test/agent-clis`);
}

describe("the real CLIs", { concurrent: true, timeout: SLOW_MS }, () => {
  test.for(cases)("$backend, $mode, turns an issue into a pull request that the hub verifies", async (cli, context) => {
    const { expect, onTestFailed } = context;
    const agent = await here(cli, context);
    using _ = await aPlace();
    await using scene = await Scene.set(cli, agent, { NEST_CONTAINER: "1", CONTRIBUTOR_MODE: cli.mode });
    const { hub, codeHost, relay, folder } = scene;
    onTestFailed(() => console.error(scene.story()));
    await expect
      .poll(() => scene.standing(), { timeout: 120_000, interval: 200 })
      .toMatchObject({ total_tasks_completed: 1, total_tasks_completed_with_pr: 1, total_tasks_failed: 0 });

    const { items } = await scene.pullRequests();
    expect(items).toHaveLength(1);
    expect(closingReferences(items[0]?.body ?? "", REPO)).toEqual([{ repo: REPO, number: 1 }]);
    const shown = await fetch(`${codeHost.apiUrl}/repos/${REPO}/pulls/${items[0]?.number}`);
    expect(await shown.json()).toMatchObject({ mergeable: true, user: { login: "ada" }, changed_files: 1 });
    await hub.refresh();
    expect(await hub.withheld(`${REPO}#1`)).toBe("claimed");
    const [finished] = (await hub.activity()).filter(({ action }) => action.startsWith("completed"));
    expect(finished?.url).toBe(`${codeHost.webUrl}/${REPO}/pull/${items[0]?.number}`);

    relay.process.signal("SIGTERM");
    expect(await relay.process.ended).toMatchObject({ code: 0 });
    await expect.poll(() => processesAbout(folder.in("home")), { timeout: 5000 }).toEqual([]);
  });

  test.for(sandboxed)("$backend, $mode, works on the host within bubblewrap", async (cli, context) => {
    const { expect, onTestFailed } = context;
    const agent = await here(cli, context);
    const confined = { NEST_SANDBOX: "bubblewrap", CONTRIBUTOR_MODE: cli.mode };
    // Codex readies its own sandbox only outside of temporary folders.
    using _ = await aPlace();
    await using scene = await Scene.set(cli, agent, confined, TEST_CACHE);
    onTestFailed(() => console.error(scene.story()));
    await expect
      .poll(() => scene.standing(), { timeout: 120_000, interval: 200 })
      .toMatchObject({ total_tasks_completed_with_pr: 1, total_tasks_failed: 0 });
    expect(scene.relay.process.said).toContain("agents are confined by bubblewrap");
  });

  test.for(realClis.filter(({ backend }) => backend === "claude"))(
    "$backend without a sandbox runs no command that is not on its list, and the issue is blocked, not lost",
    async (cli, context) => {
      const { expect, onTestFailed } = context;
      using _ = await aPlace();
      await using scene = await Scene.set(cli, await here(cli, context), { NEST_SANDBOX: "off" });
      onTestFailed(() => console.error(scene.story()));
      await expect
        .poll(async () => (await scene.hub.activity()).map(({ action }) => action), { timeout: 120_000, interval: 200 })
        .toContain("completed: blocked");
      expect(scene.model.talks.at(-1)?.results.at(-1)).not.toContain("html_url");
      expect((await scene.pullRequests()).items).toEqual([]);
      expect(await scene.standing()).toMatchObject({ total_tasks_completed_with_pr: 0, total_tasks_failed: 0 });
    },
  );

  test("aider, which runs no commands, gets its prompt at once at its terminal, and what it cannot do is blocked, not lost", async ({
    expect,
    onTestFailed,
    skip,
  }) => {
    const found = await aiderCli();
    if ("missing" in found) {
      console.error(`skipped: the real aider: ${found.missing}`);
      return skip(found.missing);
    }
    using _ = await aPlace();
    const interactive = { NEST_CONTAINER: "1", CONTRIBUTOR_MODE: "interactive" };
    await using scene = await Scene.set(aider, found.path, interactive);
    onTestFailed(() => console.error(scene.story()));
    await expect
      .poll(async () => (await scene.hub.activity()).map(({ action }) => action), { timeout: 120_000, interval: 200 })
      .toContain("completed: blocked");
    const workspaces = scene.folder.in("home/workspaces");
    const transcripts = (await readdir(workspaces, { recursive: true })).filter((path) =>
      path.endsWith("transcript.log"),
    );
    expect(transcripts).toHaveLength(1);
    const shown = await readFile(join(workspaces, transcripts[0] ?? ""), "utf8");
    expect(shown).toContain("NEST_VERDICT: blocked a person has to push it");
    expect(shown).not.toMatch(/Scraping|Installing|newer aider version/);
    const [talk] = scene.model.talks;
    expect(talk?.prompt).toMatch(/^Issue: acme\/one#1$[\s\S]+NEST_VERDICT: complete[\s\S]+end of issue text/m);
    expect(await scene.standing()).toMatchObject({ total_tasks_failed: 0 });
  });
});
