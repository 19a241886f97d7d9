import type { Platform } from "./platform.ts";
import { type CommentRecord, fullName, type IssueRecord, type PullRecord, type RepositoryRecord } from "./state.ts";

/** A time as the API writes it. */
export function iso(ms: number | undefined): string | null {
  return ms === undefined ? null : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export function showUser(platform: Platform, login: string) {
  const user = platform.store.user(login);
  return {
    login: user.login,
    id: user.id,
    type: user.type,
    html_url: `${platform.url}/${user.login}`,
    url: `${platform.url}/users/${user.login}`,
    avatar_url: "",
    site_admin: false,
  };
}

export function showRepository(platform: Platform, repo: RepositoryRecord) {
  const name = fullName(repo);
  return {
    id: repo.id,
    name: repo.name,
    full_name: name,
    owner: showUser(platform, repo.owner),
    private: repo.private,
    description: repo.description,
    default_branch: repo.defaultBranch,
    html_url: `${platform.url}/${name}`,
    url: `${platform.url}/repos/${name}`,
    clone_url: `${platform.url}/${name}.git`,
    fork: false,
    archived: false,
    disabled: false,
    has_issues: true,
    visibility: repo.private ? "private" : "public",
    open_issues_count: repo.issues.filter((issue) => issue.state === "open").length,
  };
}

export function showLabel(repo: RepositoryRecord, name: string) {
  const label = repo.labels.find((known) => known.name === name);
  return { id: 0, name, color: label?.color ?? "ededed", default: false, description: null };
}

export function showIssue(platform: Platform, repo: RepositoryRecord, issue: IssueRecord) {
  const name = fullName(repo);
  const page = `${platform.url}/${name}/${issue.pull === undefined ? "issues" : "pull"}/${issue.number}`;
  return {
    id: issue.id,
    node_id: `I_${issue.id}`,
    number: issue.number,
    title: issue.title,
    body: issue.body === "" ? null : issue.body,
    state: issue.state,
    user: showUser(platform, issue.author),
    labels: issue.labels.map((label) => showLabel(repo, label)),
    assignees: issue.assignees.map((login) => showUser(platform, login)),
    assignee: issue.assignees[0] === undefined ? null : showUser(platform, issue.assignees[0]),
    comments: issue.comments.length,
    locked: false,
    html_url: page,
    url: `${platform.url}/repos/${name}/issues/${issue.number}`,
    repository_url: `${platform.url}/repos/${name}`,
    created_at: iso(issue.createdAt),
    updated_at: iso(issue.updatedAt),
    closed_at: iso(issue.closedAt),
    ...(issue.pull === undefined
      ? {}
      : {
          pull_request: {
            url: `${platform.url}/repos/${name}/pulls/${issue.number}`,
            html_url: page,
            merged_at: iso(issue.pull.mergedAt),
          },
        }),
  };
}

export function showPull(platform: Platform, repo: RepositoryRecord, issue: IssueRecord, pull: PullRecord) {
  const name = fullName(repo);
  const { pull_request: _, ...shared } = showIssue(platform, repo, issue) as ReturnType<typeof showIssue> & {
    pull_request?: unknown;
  };
  const [headOwner = "", headName = ""] = pull.headRepo.split("/");
  const headRepo = platform.store.repository(headOwner, headName);
  return {
    ...shared,
    url: `${platform.url}/repos/${name}/pulls/${issue.number}`,
    issue_url: `${platform.url}/repos/${name}/issues/${issue.number}`,
    diff_url: `${platform.url}/${name}/pull/${issue.number}.diff`,
    draft: pull.draft,
    merged_at: iso(pull.mergedAt),
    merge_commit_sha: pull.mergeSha ?? null,
    head: {
      label: `${headOwner}:${pull.headRef}`,
      ref: pull.headRef,
      sha: pull.headSha,
      user: showUser(platform, headOwner),
      repo: headRepo === undefined ? null : showRepository(platform, headRepo),
    },
    base: {
      label: `${repo.owner}:${pull.baseRef}`,
      ref: pull.baseRef,
      sha: pull.baseSha,
      user: showUser(platform, repo.owner),
      repo: showRepository(platform, repo),
    },
  };
}

export function showComment(platform: Platform, repo: RepositoryRecord, issue: IssueRecord, comment: CommentRecord) {
  const user = showUser(platform, comment.author);
  const mayPush = repo.writers?.includes(comment.author) ?? true;
  return {
    id: comment.id,
    body: comment.body,
    // Where nobody is named, every account may push.
    author_association: user.type === "User" && mayPush ? "COLLABORATOR" : "NONE",
    user,
    html_url: `${platform.url}/${fullName(repo)}/issues/${issue.number}#issuecomment-${comment.id}`,
    issue_url: `${platform.url}/repos/${fullName(repo)}/issues/${issue.number}`,
    created_at: iso(comment.createdAt),
    updated_at: iso(comment.updatedAt),
  };
}
