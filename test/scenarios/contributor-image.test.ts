import { join } from "node:path";
import { systemClock } from "@nest/kit";
import { type LocalCodeHost, startLocalCodeHost } from "@nest/local-codehost";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PodmanHere, whyNoImage } from "../harness/contributor-image.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { HubProcess } from "../harness/hub-process.ts";
import { ProcessHere } from "../harness/process-here.ts";

const AGENT = join(import.meta.dirname, "../fakes/bin/agent-in-container");
const SLOW_MS = 500_000;
const impossible = await whyNoImage();
if (impossible !== undefined) console.log(`skipped: the contributor's image: ${impossible}`);

describe.skipIf(impossible !== undefined)("the contributor's image", () => {
  let folder: FolderHere;
  let podman: PodmanHere;
  let image: string;
  let codeHost: LocalCodeHost;
  let hub: HubProcess;
  /** Why this machine runs no container at all. */
  let unable: string | undefined;

  beforeAll(async () => {
    folder = await FolderHere.make("image");
    podman = await PodmanHere.make(folder);
    unable = await podman.whyNoContainers();
    if (unable !== undefined) return;
    image = await podman.build(folder, AGENT);
    const issue = { title: "The README is too short", body: "One more sentence.", author: "bob", labels: [] };
    codeHost = await startLocalCodeHost({
      dataDir: folder.in("codehost"),
      clock: systemClock(),
      seed: {
        organisations: ["acme"],
        tokens: { "token-of-hub": "acme-nest", "token-of-ada": "ada" },
        repositories: [{ owner: "acme", name: "one", files: { "README.md": "# One\n" }, issues: [issue] }],
      },
    });
    hub = await HubProcess.start({
      folder: folder.in("hub"),
      apiUrl: codeHost.apiUrl,
      repos: ["acme/one"],
      token: "token-of-hub",
    });
    await hub.refresh();
  }, SLOW_MS);

  afterAll(async () => {
    await hub?.[Symbol.asyncDispose]();
    await codeHost?.close();
    await podman?.run("rm", "-f", "-i", "nest-relay").catch(() => undefined);
    await podman?.run("volume", "rm", "-f", "nest-relay-state").catch(() => undefined);
    await podman?.removeImages();
    await folder?.[Symbol.asyncDispose]();
  }, SLOW_MS);

  test(
    "is started by contribute-hive with podman, works as a user without rights, and its pull request is verified",
    async ({ skip }) => {
      if (unable !== undefined) {
        console.log(`skipped: the contributor's image: ${unable}`);
        skip(unable);
      }
      await using relay = new ProcessHere("contribute-hive", ["claude"], {
        ...podman.environment,
        HOME: folder.in("home"),
        NEST_HUB: `${hub.url.replace("http", "ws")}/contribute`,
        NEST_REGISTRATION_TOKEN: (await hub.register("ada")).registration_token,
        NEST_CONTAINER_RUNTIME: "podman",
        NEST_RELAY_IMAGE: image,
        NEST_GITHUB_URL: codeHost.webUrl,
        NEST_GITHUB_API_URL: codeHost.apiUrl,
        GH_TOKEN: "token-of-ada",
        ANTHROPIC_API_KEY: "dummy",
      });
      await expect
        .poll(async () => (await hub.contributors())[0], { timeout: 60_000, interval: 200 })
        .toMatchObject({ total_tasks_completed_with_pr: 1, total_tasks_failed: 0 })
        .catch((thrown) => {
          throw new Error(relay.said, { cause: thrown });
        });
      expect(relay.said).toContain("agents are confined to this container, each run by bubblewrap");
      const inside = await podman
        .run(
          ...["exec", "nest-relay", "sh", "-c"],
          "id -u; grep CapEff /proc/self/status; tr '\\0' '\\n' < /proc/1/environ; tr '\\0' ' ' < /proc/1/cmdline; echo; ps -e -o args= | grep ': [f]led' && echo STILL THERE; cat /home/contributor/.cache/nest/workspaces/*/transcript.log; cat /tmp/contributor-headless-status.json; touch /etc/x",
        )
        .catch((thrown: { stdout: string }) => thrown.stdout);
      expect(inside).toMatch(/^1001\nCapEff:\t0000000000000000\n/);
      expect(inside).toMatch(/^tini -s -- .*nest-relay/m);
      expect(inside).toContain("NEST_HUB=");
      expect(inside).not.toMatch(/REGISTRATION|token-of-ada|SECRET IN|PLANTED|RELAY IN SIGHT|STILL THERE/);
      expect(inside).toContain("I am 1001:1000 in /home/contributor/.cache/nest/workspaces/task-");
      expect(inside).toContain("--dangerously-skip-permissions");
      expect(JSON.parse(inside.trim().split("\n").at(-1) ?? "")).toMatchObject({
        state: "waiting",
        last_result: "done",
      });
      const line = await podman.run("inspect", "--format", "{{.Config.CreateCommand}}", "nest-relay");
      expect(line).not.toContain("token-of-ada");
      relay.signal("SIGTERM");
      expect(await relay.ended).toMatchObject({ code: 0 });
      expect(await podman.run("ps", "-aq", "--filter", "name=^nest-relay$")).toBe("");
    },
    SLOW_MS,
  );
});
