import { mkdir } from "node:fs/promises";
import { GitHub } from "@nest/codehost";
import { Secret } from "@nest/kit";
import type { nestRuns } from "@nest/protocol";
import { describe, expect, test } from "vitest";
import { contributorScript } from "../fakes/model-endpoint/contributor-script.ts";
import { ModelEndpoint } from "../fakes/model-endpoint/model-endpoint.ts";
import { MODEL, realClis } from "../harness/agent-cli-settings.ts";
import { agentCli } from "../harness/agent-clis.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { plainSeed } from "../harness/plain-seed.ts";
import { SPOKE_TOKEN, SpokeHere } from "../harness/spoke-here.ts";

type RunWhole = ReturnType<(typeof nestRuns.run)["reply"]["parse"]>;

const wanted = realClis.filter(({ backend }) => backend === "claude" || backend === "codex");

describe("a nest with real agent CLIs", { timeout: 300_000 }, () => {
  test("two agents, claude and codex, at their terminals, open a held pull request each", async ({ skip }) => {
    const paths = await Promise.all(wanted.map(({ program }) => agentCli(program)));
    if (paths.some((path) => path === undefined)) skip("the CLIs are not installed: npm ci in test/agent-clis");
    const folders = paths.map((path) => (path ?? "").replace(/\/[^/]+$/, ""));
    await using folder = await FolderHere.make("spoke-clis");
    const home = folder.in("home");
    await mkdir(home);
    // The address of the code host is known once it runs: the script asks for it when the model is first asked.
    let codeHostUrl = "";
    await using model = await ModelEndpoint.start((talk) => contributorScript(codeHostUrl)(talk));
    const settled = await Promise.all(wanted.map((cli) => cli.settle(home, model.url)));
    await using spoke = await SpokeHere.start({
      seed: plainSeed(SPOKE_TOKEN, ["acme/web"], 2),
      config: {
        agents: {
          first: { backend: "claude", model: MODEL },
          second: { backend: "codex", model: MODEL, style: "headless" },
        },
        acmm_level: 5,
        governor: { eval_interval_s: 3600, labels: { hold_pull_requests: "please-review" } },
      },
      environment: {
        ...Object.assign({}, ...settled),
        HOME: home,
        PATH: [...folders, process.env.PATH].join(":"),
        NEST_CONTAINER: "1",
      },
    });
    codeHostUrl = spoke.codeHost.url;
    for (const agent of ["first", "second"]) {
      const run = await spoke.endedRun((one) => one.agent === agent, 150_000);
      const whole = await spoke.call<RunWhole>("GET", `/api/runs/${run.id}`);
      expect(run, `${run.summary}\n${whole.last_lines.join("\n")}\n${spoke.process.said}`).toMatchObject({
        outcome: "shipped",
      });
      expect(run.links).toHaveLength(1);
      expect(run.recording_bytes).toBeGreaterThan(100);
    }
    const asNest = { kind: "token", token: new Secret(SPOKE_TOKEN) } as const;
    const codeHost = new GitHub({ credentials: asNest, apiUrl: spoke.codeHost.apiUrl });
    const pulls = (await codeHost.openPullRequests("acme/web")).items;
    expect(pulls).toHaveLength(2);
    for (const { number } of pulls) {
      const issue = await fetch(`${spoke.codeHost.apiUrl}/repos/acme/web/issues/${number}`, {
        headers: { authorization: `Bearer ${SPOKE_TOKEN}` },
      });
      expect(await issue.json()).toMatchObject({ labels: [{ name: "please-review" }] });
    }
    const usage = (await spoke.runs()).find(({ agent }) => agent === "second")?.usage;
    expect(usage?.tokens).toBeGreaterThan(0);
  });
});
