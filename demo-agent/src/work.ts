import { access, mkdir, mkdtemp } from "node:fs/promises";
import { join, resolve } from "node:path";
import { plainLine } from "@nest/kit";
import { fulfil } from "./change.ts";
import { Checkout, Unacceptable } from "./checkout.ts";
import { Git } from "./git.ts";
import { type PlatformAddress, PlatformApi } from "./platform-api.ts";
import { issueInPrompt } from "./prompt.ts";
import { type Wish, wishIn } from "./wishes.ts";

export interface WorkDeps {
  readonly prompt: string;
  readonly address: PlatformAddress;
  /** The folder to clone into. */
  readonly folder: string;
  /** Tells the person who watches one thing, and takes its time. */
  readonly say: (line: string) => Promise<void>;
}

/** The last word on a task. */
export type Verdict =
  | { readonly kind: "complete"; readonly url: string }
  | { readonly kind: "no_work_needed"; readonly reason: string }
  | { readonly kind: "blocked"; readonly reason: string };

/** Does one task from the issue to the pull request. @throws NestError when something breaks on the way */
export async function work(parts: WorkDeps): Promise<Verdict> {
  const name = issueInPrompt(parts.prompt);
  if (name === undefined) return { kind: "blocked", reason: "the prompt names no issue" };
  const api = new PlatformApi(parts.address);
  await parts.say(`Reading ${name.repo}#${name.number}`);
  const issue = await api.issue(name);
  if (!issue.open) return { kind: "no_work_needed", reason: "the issue is closed" };
  await parts.say(`It says: ${plainLine(issue.title)}`);
  const branch = `nest/issue-${name.number}`;
  const existing = await api.openPullRequest(name.repo, branch);
  if (existing !== undefined) {
    await parts.say("There is a pull request of mine for it already");
    return { kind: "complete", url: existing };
  }
  const wish = wishIn(issue.body);
  if (wish === undefined) return { kind: "blocked", reason: "I do not understand what the issue asks for" };
  await parts.say(`I understand: ${understood(wish)}`);

  const given = await givenCheckout(parts.folder, name.repo);
  const folder = given ?? (await cloneFolder(parts.folder, name.repo));
  const git = new Git(folder, parts.address, await api.login());
  const base = await api.defaultBranch(name.repo);
  await parts.say(given === undefined ? `Cloning ${name.repo}` : `Using the checkout of ${name.repo} that I was given`);
  if (given === undefined)
    await git.run("clone", "--quiet", "--branch", base, "--", `${parts.address.webUrl}/${name.repo}.git`, ".");
  await git.run("checkout", "--quiet", "-B", branch);

  const checkout = new Checkout(folder);
  let summary: string;
  try {
    summary = await fulfil(checkout, wish);
  } catch (thrown) {
    if (thrown instanceof Unacceptable) return { kind: "blocked", reason: thrown.message };
    throw thrown;
  }
  await git.run("add", "--all");
  const files = (await git.run("diff", "--cached", "--name-only")).split("\n").filter((file) => file !== "");
  if (files.length === 0) return { kind: "no_work_needed", reason: "it is done already" };
  await parts.say(`Changed ${files.join(", ")}`);

  const tests = await checkout.runTests();
  if (tests !== undefined && tests.code !== 0) return { kind: "blocked", reason: "the tests fail with my change" };
  await parts.say(tests === undefined ? "There are no tests to run" : `The tests pass (${tests.command})`);

  await git.run("commit", "--quiet", "-m", summary);
  await parts.say(`Pushing the branch ${branch}`);
  await git.run("push", "--quiet", "--force", "origin", `HEAD:refs/heads/${branch}`);
  const tested = tests === undefined ? "" : `\n\n\`${tests.command}\` passes.`;
  const body = `Fixes #${name.number}\n\n${summary}.${tested}`;
  const url = await api.createPullRequest(name.repo, { title: summary, body, head: branch, base });
  return { kind: "complete", url };
}

/** The checkout that a nest puts into its agents' folder; undefined where there is none. */
async function givenCheckout(folder: string, repo: string): Promise<string | undefined> {
  const checkout = join(resolve(folder), repo.split("/")[1] ?? "");
  return access(join(checkout, ".git")).then(
    () => checkout,
    () => undefined,
  );
}

/** A new folder inside the given one. */
async function cloneFolder(folder: string, repo: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return mkdtemp(join(resolve(folder), `${repo.split("/")[1] ?? "repository"}-`));
}

function understood(wish: Wish): string {
  const where = wish.kind === "rename" ? `${wish.from} to ${wish.to}` : wish.file;
  return `${wish.kind.replaceAll("-", " ")}, ${plainLine(where)}`;
}
