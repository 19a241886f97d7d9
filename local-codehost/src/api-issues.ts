import { demandWrite, loginOf, mayWrite } from "./access.ts";
import { ApiRefusal, type ApiRequest, bodyNames, bodyText, paged, type Route } from "./api-call.ts";
import type { Platform } from "./platform.ts";
import { showComment, showIssue, showLabel } from "./shown.ts";
import type { IssueRecord, RepositoryRecord } from "./state.ts";

const ISSUES = "/repos/:owner/:repo/issues";

/** Issues, their comments and labels. Pull requests are in the lists too, as on the platform itself. */
export function issueRoutes(platform: Platform): Route[] {
  const show = (repo: RepositoryRecord) => (issue: IssueRecord) => showIssue(platform, repo, issue);
  return [
    {
      method: "GET",
      path: ISSUES,
      answer(request) {
        const repo = platform.repository(request);
        return paged(request, listed(repo.issues, request), show(repo));
      },
    },
    {
      method: "POST",
      path: ISSUES,
      answer(request) {
        const repo = platform.repository(request);
        const author = loginOf(request.caller);
        if (request.caller.kind === "user" && request.caller.record.installation !== undefined)
          demandWrite(request.caller, repo, "issues");
        const labels = mayWrite(request.caller, repo, "issues") ? (bodyNames(request, "labels") ?? []) : [];
        const issue = addIssue(platform, repo, {
          title: bodyText(request, "title"),
          body: bodyText(request, "body", ""),
          author,
          labels,
        });
        issue.assignees = bodyNames(request, "assignees") ?? [];
        platform.tell(repo, "issues", "opened", { issue: show(repo)(issue) });
        return { status: 201, body: show(repo)(issue) };
      },
    },
    {
      method: "GET",
      path: `${ISSUES}/:number`,
      answer(request) {
        const repo = platform.repository(request);
        return { status: 200, body: show(repo)(platform.issue(repo, request)) };
      },
    },
    {
      method: "PATCH",
      path: `${ISSUES}/:number`,
      answer(request) {
        const repo = platform.repository(request);
        const issue = platform.issue(repo, request);
        if (loginOf(request.caller) !== issue.author) demandWrite(request.caller, repo, "issues", "pull_requests");
        const action = changeIssue(platform, issue, request);
        platform.tell(repo, "issues", action, { issue: show(repo)(issue) });
        return { status: 200, body: show(repo)(issue) };
      },
    },
    ...commentRoutes(platform),
    {
      method: "GET",
      path: "/repos/:owner/:repo/labels",
      answer(request) {
        const repo = platform.repository(request);
        return paged(request, repo.labels, (label) => showLabel(repo, label.name));
      },
    },
    {
      method: "POST",
      path: `${ISSUES}/:number/labels`,
      answer(request) {
        const repo = platform.repository(request);
        const issue = platform.issue(repo, request);
        demandWrite(request.caller, repo, "issues", "pull_requests");
        issue.labels = [...new Set([...issue.labels, ...(bodyNames(request, "labels") ?? [])])];
        issue.updatedAt = platform.now();
        return { status: 200, body: issue.labels.map((label) => showLabel(repo, label)) };
      },
    },
  ];
}

function commentRoutes(platform: Platform): Route[] {
  return [
    {
      method: "GET",
      path: `${ISSUES}/:number/comments`,
      answer(request) {
        const repo = platform.repository(request);
        const issue = platform.issue(repo, request);
        return paged(request, issue.comments, (comment) => showComment(platform, repo, issue, comment));
      },
    },
    {
      method: "POST",
      path: `${ISSUES}/:number/comments`,
      answer(request) {
        const repo = platform.repository(request);
        const issue = platform.issue(repo, request);
        const author = loginOf(request.caller);
        if (request.caller.kind === "user" && request.caller.record.installation !== undefined)
          demandWrite(request.caller, repo, "issues", "pull_requests");
        const now = platform.now();
        const id = platform.store.nextId();
        const comment = { id, author, body: bodyText(request, "body"), createdAt: now, updatedAt: now };
        issue.comments.push(comment);
        issue.updatedAt = now;
        const body = showComment(platform, repo, issue, comment);
        platform.tell(repo, "issue_comment", "created", { issue: showIssue(platform, repo, issue), comment: body });
        return { status: 201, body };
      },
    },
  ];
}

/** Adds an issue with the next number of its repository. */
export function addIssue(
  platform: Pick<Platform, "store" | "now">,
  repo: RepositoryRecord,
  issue: Pick<IssueRecord, "title" | "body" | "author" | "labels"> & { readonly createdAt?: number },
): IssueRecord {
  if (issue.title.trim() === "") throw new ApiRefusal(422, "Validation Failed: title is missing");
  const at = issue.createdAt ?? platform.now();
  const added: IssueRecord = {
    id: platform.store.nextId(),
    number: repo.nextNumber,
    title: issue.title,
    body: issue.body,
    state: "open",
    author: issue.author,
    labels: [...issue.labels],
    assignees: [],
    comments: [],
    createdAt: at,
    updatedAt: at,
  };
  repo.nextNumber += 1;
  repo.issues.push(added);
  return added;
}

/** Changes what the body names; says which event that is. */
export function changeIssue(
  platform: Platform,
  issue: IssueRecord,
  request: ApiRequest,
): "closed" | "reopened" | "edited" {
  const before = issue.state;
  issue.title = bodyText(request, "title", issue.title);
  issue.body = bodyText(request, "body", issue.body);
  issue.labels = bodyNames(request, "labels") ?? issue.labels;
  issue.assignees = bodyNames(request, "assignees") ?? issue.assignees;
  const state = bodyText(request, "state", issue.state);
  if (state !== "open" && state !== "closed") throw new ApiRefusal(422, "Validation Failed: state");
  setState(issue, state, platform.now());
  issue.updatedAt = platform.now();
  if (before === issue.state) return "edited";
  return issue.state === "closed" ? "closed" : "reopened";
}

/** Opens or closes; what is merged stays closed. */
export function setState(issue: IssueRecord, state: "open" | "closed", now: number): void {
  if (issue.state === state || issue.pull?.mergedAt !== undefined) return;
  issue.state = state;
  issue.updatedAt = now;
  if (state === "closed") issue.closedAt = now;
  else delete issue.closedAt;
}

/** What the query of a list asks for, in its order. */
export function listed(all: readonly IssueRecord[], request: ApiRequest): IssueRecord[] {
  const { query } = request;
  const state = query.get("state") ?? "open";
  const labels = (query.get("labels") ?? "").split(",").filter((label) => label !== "");
  const since = Date.parse(query.get("since") ?? "") || 0;
  const creator = query.get("creator");
  const assignee = query.get("assignee");
  const found = all.filter(
    (issue) =>
      (state === "all" || issue.state === state) &&
      labels.every((label) => issue.labels.includes(label)) &&
      issue.updatedAt >= since &&
      (creator === null || issue.author === creator) &&
      (assignee === null || assignee === "*" || issue.assignees.includes(assignee)),
  );
  const key = query.get("sort") === "updated" ? "updatedAt" : "createdAt";
  const sign = query.get("direction") === "asc" ? 1 : -1;
  return found.sort((a, b) => sign * (a[key] - b[key] || a.number - b.number));
}
