import assert from "node:assert/strict";
import { Secret } from "@nest/kit";
import type { CodeHost, RequiredChecks } from "./codehost.ts";

/** A code host that the contract is tried on, and the means to make things happen there. */
export interface CodeHostStage {
  readonly host: CodeHost;
  /** A repository without issues or pull requests. */
  readonly repo: string;
  /** The login that {@link CodeHost.self} should say. */
  readonly login: string;
  addIssue(issue: {
    readonly title: string;
    readonly body: string;
    readonly labels: readonly string[];
  }): Promise<number>;
  closeIssue(number: number): Promise<void>;
  /** Somebody of the repository comments on an issue. */
  addComment(number: number): Promise<void>;
  addPullRequest(pull: { readonly title: string; readonly body: string }): Promise<number>;
  mergePullRequest(number: number): Promise<void>;
  /** Makes the base branch require one check, and gives it this verdict for the pull request's head commit. */
  setChecks(number: number, verdict: Exclude<RequiredChecks, "none">): Promise<void>;
  userToken(login: string): Promise<Secret>;
}

export interface ContractCase {
  readonly title: string;
  readonly run: (stage: CodeHostStage) => Promise<void>;
}

/** The promises of every code host, one test case each. Each case needs a fresh stage. */
export const CODE_HOST_CONTRACT: readonly ContractCase[] = [
  {
    title: "open issues come oldest first, with their labels, without closed ones and pull requests",
    async run({ host, repo, ...stage }) {
      const first = await stage.addIssue({ title: "First", body: "one", labels: ["bug"] });
      const second = await stage.addIssue({ title: "Second", body: "", labels: [] });
      const third = await stage.addIssue({ title: "Third", body: "", labels: [] });
      await stage.addPullRequest({ title: "Change", body: `Fixes #${first}` });
      await stage.closeIssue(second);
      const { items } = await host.openIssues(repo);
      assert.deepEqual(
        items.map((issue) => issue.number),
        [first, third],
      );
      assert.equal(items[0]?.title, "First");
      assert.equal(items[0]?.body, "one");
      assert.deepEqual(items[0]?.labels, ["bug"]);
      assert.equal(items[0]?.state, "open");
    },
  },
  {
    title: "labels that are added come to those that are there",
    async run({ host, repo, ...stage }) {
      const number = await stage.addIssue({ title: "First", body: "", labels: ["bug"] });
      await host.addLabels(repo, number, ["hold", "bug"]);
      const { items } = await host.openIssues(repo);
      assert.deepEqual([...(items[0]?.labels ?? [])].sort(), ["bug", "hold"]);
      await assert.rejects(host.addLabels(repo, 99_999, ["hold"]), { code: "codehost_not_found" });
    },
  },
  {
    title: "a scan that finds nothing new gives the same array and says so",
    async run({ host, repo, ...stage }) {
      await stage.addIssue({ title: "First", body: "", labels: [] });
      const before = await host.openIssues(repo);
      const after = await host.openIssues(repo);
      assert.equal(before.unchanged, false);
      assert.equal(after.unchanged, true);
      assert.equal(after.items, before.items);
      await stage.addIssue({ title: "Second", body: "", labels: [] });
      const changed = await host.openIssues(repo);
      assert.equal(changed.unchanged, false);
      assert.equal(changed.items.length, 2);
    },
  },
  {
    title: "a repository that is not there is a failure, not an empty list",
    async run({ host }) {
      await assert.rejects(host.openIssues("nobody/nothing"), { code: "codehost_not_found" });
      await assert.rejects(host.openPullRequests("nobody/nothing"), { code: "codehost_not_found" });
    },
  },
  {
    title: "a pull request is listed while open, and found among the merged ones once it is",
    async run({ host, repo, ...stage }) {
      const number = await stage.addPullRequest({ title: "Change", body: "Why" });
      const open = await host.openPullRequests(repo);
      assert.deepEqual(
        open.items.map((pull) => [pull.number, pull.title, pull.body, pull.merged]),
        [[number, "Change", "Why", false]],
      );
      assert.match(open.items[0]?.headSha ?? "", /^[0-9a-f]{40}$/);
      await stage.mergePullRequest(number);
      assert.deepEqual((await host.openPullRequests(repo)).items, []);
      const merged = await host.recentlyMergedPullRequests(repo, 0);
      assert.deepEqual(
        merged.map((pull) => [pull.number, pull.merged, pull.state]),
        [[number, true, "closed"]],
      );
      assert.deepEqual(await host.recentlyMergedPullRequests(repo, (merged[0]?.mergedAt ?? 0) + 1), []);
    },
  },
  {
    title: "single issues and pull requests are found by number, and undefined where there are none",
    async run({ host, repo, ...stage }) {
      const issue = await stage.addIssue({ title: "First", body: "", labels: [] });
      const pull = await stage.addPullRequest({ title: "Change", body: "" });
      assert.equal((await host.issue(repo, issue))?.title, "First");
      assert.equal((await host.pullRequest(repo, pull))?.title, "Change");
      assert.equal(await host.issue(repo, 9999), undefined);
      assert.equal(await host.issue(repo, pull), undefined);
      assert.equal(await host.pullRequest(repo, issue), undefined);
    },
  },
  {
    title: "the comments on an issue since a time tell whether who wrote them is one of the repository's people",
    async run({ host, repo, ...stage }) {
      const issue = await stage.addIssue({ title: "First", body: "", labels: [] });
      assert.deepEqual(await host.issueComments(repo, issue, 0), []);
      await stage.addComment(issue);
      const [comment, ...others] = await host.issueComments(repo, issue, 0);
      assert.deepEqual(others, []);
      assert.equal(comment?.authorBelongs, true);
      assert.equal(comment.authorIsApp, false);
      assert.deepEqual(await host.issueComments(repo, issue, comment.updatedAt + 1000), []);
    },
  },
  {
    title: "required checks are none, then pending, red or green as the required check says",
    async run({ host, repo, ...stage }) {
      const number = await stage.addPullRequest({ title: "Change", body: "" });
      const checks = async () => {
        const pull = await host.pullRequest(repo, number);
        assert.ok(pull !== undefined);
        return host.requiredChecks(pull);
      };
      assert.equal(await checks(), "none");
      for (const verdict of ["pending", "red", "green"] as const) {
        await stage.setChecks(number, verdict);
        assert.equal(await checks(), verdict);
      }
    },
  },
  {
    title: "a token proves its login, and a wrong one proves nothing",
    async run({ host, ...stage }) {
      const who = await host.whoIs(await stage.userToken("casey"));
      assert.equal(who?.login, "casey");
      assert.ok(who.id !== undefined && Number.isSafeInteger(who.id));
      assert.deepEqual(await host.whoIs(await stage.userToken("casey")), who);
      const other = await host.whoIs(await stage.userToken("robin"));
      assert.notEqual(other?.id, who.id);
      assert.equal(await host.whoIs(new Secret("ghp_made_up_and_wrong")), undefined);
      assert.equal(await host.whoIs(new Secret("two\nlines")), undefined);
    },
  },
  {
    title: "the host knows its own login",
    async run({ host, login }) {
      assert.equal(await host.self(), login);
    },
  },
  {
    title: "an app hands out a token for one repository and takes it back; a personal token is never handed out",
    async run({ host, repo }) {
      const credential = await host.taskCredential(repo, { contents: "write", issues: "read" });
      if (host.kind === "token") {
        assert.equal(credential, undefined);
        assert.deepEqual(await host.installationRepositories(), []);
        return;
      }
      assert.ok(credential !== undefined && credential.token.reveal().length > 0);
      assert.deepEqual(await host.installationRepositories(), [repo]);
      await host.revokeCredential(credential.token);
      await host.revokeCredential(credential.token);
    },
  },
  {
    title: "a signal that is over ends a call with its reason",
    async run({ host, repo }) {
      const reason = new Error("enough");
      await assert.rejects(host.openIssues(repo, AbortSignal.abort(reason)), (thrown) => thrown === reason);
      await assert.rejects(host.pullRequest(repo, 1, AbortSignal.abort(reason)), (thrown) => thrown === reason);
    },
  },
];
