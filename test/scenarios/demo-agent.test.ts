import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closingReferences, GitHub, type Issue } from "@nest/codehost";
import { DEMO_AGENT } from "@nest/demo-agent";
import { Secret, systemClock } from "@nest/kit";
import {
  DEMO_CONTRIBUTORS,
  DEMO_REPOSITORIES,
  demoSeed,
  type LocalCodeHost,
  startLocalCodeHost,
} from "@nest/local-codehost";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const [{ token }] = DEMO_CONTRIBUTORS;

interface Outcome {
  readonly code: number;
  readonly output: string;
}

let folder: string;
let host: LocalCodeHost;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "demo-agent-"));
  host = await startLocalCodeHost({ dataDir: join(folder, "host"), seed: await demoSeed(), clock: systemClock() });
});

afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

function runIn(cwd: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd, env, timeout: 60_000 }, (failed, out, err) => {
      const code = failed === null ? 0 : typeof failed.code === "number" ? failed.code : 1;
      resolve({ code, output: out + err });
    });
    child.stdin?.end();
  });
}

async function agent(prompt: string): Promise<Outcome & { readonly workspace: string }> {
  const workspace = await mkdtemp(join(folder, "work-"));
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, GH_TOKEN: token, NEST_GITHUB_API_URL: host.apiUrl, NEST_GITHUB_URL: host.webUrl };
  return { ...(await runIn(workspace, DEMO_AGENT, ["-p", prompt, "--model", "demo"], env)), workspace };
}

function promptFor(issue: Pick<Issue, "repo" | "number">): string {
  return `Work on this.\n\nIssue: ${issue.repo}#${issue.number}\n${host.webUrl}/${issue.repo}/issues/${issue.number}\n`;
}

/** Runs `act` for every item, two at a time. */
async function twoAtATime<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
  };
  await Promise.all([worker(), worker()]);
}

describe("the demo agent", () => {
  test.each(DEMO_REPOSITORIES)(
    "ships a tested pull request for every issue of %s",
    async (repo) => {
      const codeHost = new GitHub({ credentials: { kind: "token", token: new Secret(token) }, apiUrl: host.apiUrl });
      const { items } = await codeHost.openIssues(repo);
      expect(items.length).toBeGreaterThanOrEqual(12);
      await twoAtATime(items, async (issue) => {
        const outcome = await agent(promptFor(issue));
        const said = `${repo}#${issue.number} ${issue.title}\n${outcome.output}`;
        expect(outcome.code, said).toBe(0);
        expect(outcome.output.trimEnd().split("\n").at(-1), said).toBe("NEST_VERDICT: complete");
        expect(outcome.output).not.toContain(token);
        const number = Number(new RegExp(`${host.webUrl}/${repo}/pull/(\\d+)`).exec(outcome.output)?.[1]);
        const pull = await codeHost.pullRequest(repo, number);
        expect(pull?.headRef, said).toBe(`nest/issue-${issue.number}`);
        expect(closingReferences(pull?.body ?? "", repo)).toEqual([{ repo, number: issue.number }]);
        await testsPassOn(repo, pull?.headRef ?? "");
      });
      expect((await codeHost.openPullRequests(repo)).items).toHaveLength(items.length);
    },
    240_000,
  );

  test("asked a second time, it gives the pull request that is there", async () => {
    const first = await agent(`Issue: ${DEMO_REPOSITORIES[0]}#1`);
    const second = await agent(`Issue: ${DEMO_REPOSITORIES[0]}#1`);
    const link = /Pull request: (\S+)/;
    expect(link.exec(second.output)?.[1]).toBe(link.exec(first.output)?.[1]);
  });

  test("says so when it does not understand, and exits 0", async () => {
    const outcome = await agent("Have a nice day");
    expect(outcome).toMatchObject({ code: 0, output: "NEST_VERDICT: blocked the prompt names no issue\n" });
  });

  test("ends with 1 and a clear line when the issue cannot be read", async () => {
    const outcome = await agent(`Issue: ${DEMO_REPOSITORIES[0]}#9999`);
    expect(outcome.code).toBe(1);
    expect(outcome.output).toContain("demo-agent: error: GET /repos/meadow/tide-clock/issues/9999");
  });

  test("without a prompt it shows that it is ready and takes one from its input", async () => {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, GH_TOKEN: token, NEST_GITHUB_API_URL: host.apiUrl, NEST_GITHUB_URL: host.webUrl };
    const outcome = await new Promise<string>((resolve) => {
      const child = execFile(DEMO_AGENT, [], { cwd: folder, env }, (_, out) => resolve(out));
      child.stdin?.end(`Do this:\nIssue: ${DEMO_REPOSITORIES[0]}#1\n`);
    });
    expect(outcome).toMatch(/^> Reading meadow\/tide-clock#1$/m);
    expect(outcome).toContain("NEST_VERDICT: complete");
  });
});

async function testsPassOn(repo: string, branch: string): Promise<void> {
  const clone = await mkdtemp(join(folder, "check-"));
  const env = { PATH: process.env.PATH, HOME: folder };
  const got = await runIn(clone, "git", ["clone", "-q", "--branch", branch, `${host.webUrl}/${repo}.git`, "."], env);
  expect(got.code, got.output).toBe(0);
  const diff = await runIn(clone, "git", ["diff", "--stat", "origin/main...HEAD"], env);
  expect(diff.output).toMatch(/\d+ files? changed/);
  const shell = (await readdir(clone)).includes("test.sh");
  const tested = await runIn(clone, shell ? "sh" : process.execPath, [shell ? "test.sh" : "--test"], env);
  expect(tested.code, `${repo} ${branch}\n${tested.output}`).toBe(0);
}
