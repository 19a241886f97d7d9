import { closingReferences } from "@nest/codehost";
import { demandWrite, loginOf, mayWrite } from "./access.ts";
import { type ApiAnswer, ApiRefusal, type ApiRequest, bodyText, paged, type Route } from "./api-call.ts";
import { addIssue, changeIssue, listed, setState } from "./api-issues.ts";
import type { Platform } from "./platform.ts";
import { showIssue, showPull, showUser } from "./shown.ts";
import { fullName, type IssueRecord, type PullRecord, type RepositoryRecord } from "./state.ts";

const PULLS = "/repos/:owner/:repo/pulls";

interface Found {
  readonly repo: RepositoryRecord;
  readonly issue: IssueRecord;
  readonly pull: PullRecord;
}

/** Pull requests over branches that were really pushed. */
export function pullRoutes(platform: Platform): Route[] {
  const find = (request: ApiRequest): Found => {
    const repo = platform.repository(request);
    const issue = platform.issue(repo, request);
    if (issue.pull === undefined) throw new ApiRefusal(404, "Not Found");
    return { repo, issue, pull: issue.pull };
  };
  return [
    { method: "GET", path: PULLS, answer: (request) => listPulls(platform, request) },
    { method: "POST", path: PULLS, answer: (request) => openPull(platform, request) },
    { method: "GET", path: `${PULLS}/:number`, answer: (request) => showOne(platform, find(request), request) },
    {
      method: "PATCH",
      path: `${PULLS}/:number`,
      answer(request) {
        const { repo, issue, pull } = find(request);
        if (loginOf(request.caller) !== issue.author) demandWrite(request.caller, repo, "pull_requests");
        const action = changeIssue(platform, issue, request);
        platform.tell(repo, "pull_request", action, { pull_request: showPull(platform, repo, issue, pull) });
        return { status: 200, body: showPull(platform, repo, issue, pull) };
      },
    },
    {
      method: "GET",
      path: `${PULLS}/:number/merge`,
      answer: (request) => ({ status: find(request).pull.mergedAt === undefined ? 404 : 204 }),
    },
    { method: "PUT", path: `${PULLS}/:number/merge`, answer: (request) => mergePull(platform, find(request), request) },
    {
      method: "GET",
      path: `${PULLS}/:number/files`,
      async answer(request) {
        const { repo, pull } = find(request);
        const files = await platform.git.changedFiles(fullName(repo), pull.baseSha, pull.headSha);
        return paged(request, files, (file) => ({
          filename: file.path,
          additions: file.added,
          deletions: file.deleted,
          changes: file.added + file.deleted,
          status: "modified",
        }));
      },
    },
    {
      method: "GET",
      path: `${PULLS}/:number/commits`,
      async answer(request) {
        const { repo, pull } = find(request);
        const commits = await platform.git.commits(fullName(repo), pull.baseSha, pull.headSha);
        return paged(request, commits, (commit) => ({
          sha: commit.sha,
          commit: { message: commit.subject, author: { name: commit.author } },
        }));
      },
    },
  ];
}

function listPulls(platform: Platform, request: ApiRequest): ApiAnswer {
  const repo = platform.repository(request);
  const head = request.query.get("head");
  const base = request.query.get("base");
  const found = listed(repo.issues, request).filter(
    ({ pull }) =>
      pull !== undefined &&
      (base === null || pull.baseRef === base) &&
      (head === null || head === `${pull.headRepo.split("/")[0]}:${pull.headRef}`),
  );
  return paged(request, found, (issue) => issue.pull && showPull(platform, repo, issue, issue.pull));
}

async function showOne(platform: Platform, found: Found, request: ApiRequest): Promise<ApiAnswer> {
  const { repo, issue, pull } = found;
  const name = fullName(repo);
  if (request.accept.includes("diff")) {
    const text = await platform.git.diff(name, pull.baseSha, pull.headSha);
    return { status: 200, text, headers: { "content-type": "application/vnd.github.diff; charset=utf-8" } };
  }
  const files = await platform.git.changedFiles(name, pull.baseSha, pull.headSha);
  const clean =
    issue.state === "open" ? (await platform.git.mergedTree(name, pull.baseSha, pull.headSha)) !== undefined : null;
  return {
    status: 200,
    body: {
      ...showPull(platform, repo, issue, pull),
      merged: pull.mergedAt !== undefined,
      merged_by: pull.mergedBy === undefined ? null : showUser(platform, pull.mergedBy),
      mergeable: clean,
      mergeable_state: clean === null ? "unknown" : clean ? "clean" : "dirty",
      changed_files: files.length,
      additions: files.reduce((sum, file) => sum + file.added, 0),
      deletions: files.reduce((sum, file) => sum + file.deleted, 0),
    },
  };
}

async function openPull(platform: Platform, request: ApiRequest): Promise<ApiAnswer> {
  const repo = platform.repository(request);
  const author = loginOf(request.caller);
  if (request.caller.kind === "user" && request.caller.record.installation !== undefined)
    demandWrite(request.caller, repo, "pull_requests");
  const name = fullName(repo);
  const head = bodyText(request, "head");
  const colon = head.indexOf(":");
  if (colon >= 0 && head.slice(0, colon) !== repo.owner) throw new ApiRefusal(422, "Validation Failed: no such fork");
  const headRef = head.slice(colon + 1);
  const baseRef = bodyText(request, "base");
  const heads = await platform.git.heads(name);
  const headSha = heads.get(headRef);
  const baseSha = heads.get(baseRef);
  if (headSha === undefined) throw new ApiRefusal(422, "Validation Failed: head is invalid");
  if (baseSha === undefined) throw new ApiRefusal(422, "Validation Failed: base is invalid");
  const same = repo.issues.some(
    ({ state, pull }) => state === "open" && pull?.headRef === headRef && pull.baseRef === baseRef,
  );
  if (same) throw new ApiRefusal(422, `Validation Failed: A pull request already exists for ${repo.owner}:${headRef}.`);
  if ((await platform.git.commits(name, baseSha, headSha)).length === 0)
    throw new ApiRefusal(422, `Validation Failed: No commits between ${baseRef} and ${headRef}`);
  const title = bodyText(request, "title");
  const issue = addIssue(platform, repo, { title, body: bodyText(request, "body", ""), author, labels: [] });
  const pull = { headRepo: name, headRef, headSha, baseRef, baseSha, draft: request.body.draft === true };
  issue.pull = pull;
  const body = showPull(platform, repo, issue, pull);
  platform.tell(repo, "pull_request", "opened", { pull_request: body });
  return { status: 201, body: { ...body, merged: false } };
}

async function mergePull(platform: Platform, found: Found, request: ApiRequest): Promise<ApiAnswer> {
  const { repo, issue, pull } = found;
  const login = demandWrite(request.caller, repo, "contents");
  const name = fullName(repo);
  await platform.followBranches(repo);
  if (issue.state !== "open") throw new ApiRefusal(405, "Pull Request is not mergeable");
  const wanted = request.body.sha;
  if (typeof wanted === "string" && wanted !== pull.headSha) throw new ApiRefusal(409, "Head branch was modified");
  const base = (await platform.git.heads(name)).get(pull.baseRef);
  const tree = base === undefined ? undefined : await platform.git.mergedTree(name, base, pull.headSha);
  if (base === undefined || tree === undefined) throw new ApiRefusal(405, "Pull Request is not mergeable");
  const squash = request.body.merge_method === "squash";
  const title = `${issue.title} (#${issue.number})`;
  const sha = await platform.git.commitOnto(name, {
    branch: pull.baseRef,
    base,
    tree,
    parents: squash ? [base] : [base, pull.headSha],
    message: bodyText(
      request,
      "commit_title",
      squash ? title : `Merge pull request #${issue.number}\n\n${issue.title}`,
    ),
    author: { login, at: platform.now() },
  });
  if (sha === undefined) throw new ApiRefusal(409, "Base branch was modified. Review and try the merge again.");
  setState(issue, "closed", platform.now());
  Object.assign(pull, { mergedAt: platform.now(), mergeSha: sha, mergedBy: login });
  await platform.followBranches(repo);
  platform.tell(repo, "pull_request", "closed", {
    pull_request: { ...showPull(platform, repo, issue, pull), merged: true },
  });
  if (pull.baseRef === repo.defaultBranch) closeReferenced(platform, { repo, issue, pull }, request);
  return { status: 200, body: { sha, merged: true, message: "Pull Request successfully merged" } };
}

/** Closing keywords take effect where whoever merges may write. */
function closeReferenced(platform: Platform, merged: Found, request: ApiRequest): void {
  const text = `${merged.issue.title}\n\n${merged.issue.body}`;
  for (const reference of closingReferences(text, fullName(merged.repo), platform.url)) {
    const [owner = "", name = ""] = reference.repo.split("/");
    const repo = platform.store.repository(owner, name);
    const issue = repo?.issues.find((one) => one.number === reference.number && one.pull === undefined);
    if (repo === undefined || issue === undefined || issue.state === "closed") continue;
    if (!mayWrite(request.caller, repo, "contents")) continue;
    setState(issue, "closed", platform.now());
    platform.tell(repo, "issues", "closed", { issue: showIssue(platform, repo, issue) });
  }
}
