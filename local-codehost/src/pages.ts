import { closingReferences } from "@nest/codehost";
import { type Html, html } from "@nest/http";
import { type Caller, maySee } from "./access.ts";
import { page } from "./html.ts";
import type { Platform } from "./platform.ts";
import { fullName, type IssueRecord, type PullRecord, type RepositoryRecord } from "./state.ts";

/** Longer diffs are cut: a page is for reading. */
const LONGEST_DIFF = 400_000;

/** The page at this path, for a person; undefined where there is none. */
export async function showPage(platform: Platform, caller: Caller, url: URL): Promise<string | undefined> {
  if (url.pathname === "/") return home(platform, caller);
  const [, owner = "", name = "", section, number, ...rest] = url.pathname.split("/");
  if (name === "") return ownerPage(platform, caller, owner);
  if (rest.length > 0) return undefined;
  const repo = platform.store.repository(owner, name);
  if (repo === undefined || !maySee(caller, repo)) return undefined;
  if (section === undefined || section === "") return repositoryPage(platform, repo);
  if ((section === "issues" || section === "pulls") && number === undefined) return listPage(repo, section, url);
  const issue = repo.issues.find((one) => String(one.number) === number);
  if (issue === undefined) return undefined;
  if (section === "issues" || section === "pull") return issuePage(platform, repo, issue);
  return undefined;
}

function home(platform: Platform, caller: Caller): string {
  const repos = platform.store.state.repositories.filter((repo) => maySee(caller, repo));
  return page(
    "Local code host",
    [],
    html`<h1>Repositories</h1><p>A stand-in for a code-hosting platform, on this machine only.</p>${listOf(repos)}`,
  );
}

/** The repositories of one owner; undefined where there is none that the caller may see. */
function ownerPage(platform: Platform, caller: Caller, owner: string): string | undefined {
  const repos = platform.store.state.repositories.filter(
    (repo) => repo.owner.toLowerCase() === owner.toLowerCase() && maySee(caller, repo),
  );
  const [first] = repos;
  if (first === undefined) return undefined;
  return page(
    first.owner,
    [html`<b>${first.owner}</b>`],
    html`<h1>Repositories of ${first.owner}</h1>${listOf(repos)}`,
  );
}

function listOf(repos: readonly RepositoryRecord[]): Html {
  const rows = repos.map(
    (repo) =>
      html`<li><a href="/${fullName(repo)}">${fullName(repo)}</a><br><span class="dim">${repo.description}</span></li>`,
  );
  return html`<ul class="list">${rows}</ul>`;
}

/** What a person is shown where there is no page. */
export function absentPage(): string {
  return page(
    "Not found",
    [],
    html`<h1>There is no such page</h1><p>Nothing is at this address, or it is not for you. <a href="/">All repositories</a></p>`,
  );
}

async function repositoryPage(platform: Platform, repo: RepositoryRecord): Promise<string> {
  const name = fullName(repo);
  const files = await platform.git.files(name, repo.defaultBranch);
  const readme = await platform.git.file(name, repo.defaultBranch, "README.md");
  const open = repo.issues.filter((issue) => issue.state === "open");
  const pulls = open.filter((issue) => issue.pull !== undefined).length;
  return page(
    name,
    [html`<b>${name}</b>`],
    html`<h1>${name}</h1><p>${repo.description}</p>
<p><a href="/${name}/issues">${open.length - pulls} open issues</a> · <a href="/${name}/pulls">${pulls} open pull requests</a></p>
<p class="dim">git clone ${platform.url}/${name}.git</p>
<h2>Files</h2><ul class="list">${files.map((file) => html`<li>${file}</li>`)}</ul>
<h2>README.md</h2><div class="text">${readme ?? "There is none."}</div>`,
  );
}

function listPage(repo: RepositoryRecord, section: "issues" | "pulls", url: URL): string {
  const name = fullName(repo);
  const closed = url.searchParams.get("state") === "closed";
  const wanted = repo.issues
    .filter((issue) => (issue.pull !== undefined) === (section === "pulls"))
    .filter((issue) => (issue.state === "closed") === closed)
    .sort((a, b) => b.number - a.number);
  const what = section === "pulls" ? "pull requests" : "issues";
  const rows = wanted.map(
    (issue) => html`<li>${stateOf(issue)} <a href="${pathOf(repo, issue)}">${issue.title}</a> ${labelsOf(issue)}<br>
<span class="dim">#${issue.number} by ${issue.author}, ${day(issue.createdAt)}</span></li>`,
  );
  const other = closed ? html`<a href="?state=open">open</a>` : html`<a href="?state=closed">closed</a>`;
  const list = rows.length === 0 ? html`<p>There are none.</p>` : html`<ul class="list">${rows}</ul>`;
  return page(
    `${what} of ${name}`,
    [html`<a href="/${name}">${name}</a>`, html`<b>${what}</b>`],
    html`<h1>${closed ? "Closed" : "Open"} ${what}</h1><p>Show ${other} ones</p>${list}`,
  );
}

async function issuePage(platform: Platform, repo: RepositoryRecord, issue: IssueRecord): Promise<string> {
  const name = fullName(repo);
  const { pull } = issue;
  const comments = issue.comments.map(
    (comment) =>
      html`<p class="dim">${comment.author}, ${day(comment.createdAt)}</p><div class="text">${comment.body}</div>`,
  );
  const section = pull === undefined ? "issues" : "pulls";
  return page(
    `${issue.title} · #${issue.number}`,
    [
      html`<a href="/${name}">${name}</a>`,
      html`<a href="/${name}/${section}">${section}</a>`,
      html`<b>#${issue.number}</b>`,
    ],
    html`<h1>${issue.title} <span class="dim">#${issue.number}</span></h1>
<p>${stateOf(issue)} ${labelsOf(issue)}</p>
<p class="dim">${issue.author}, ${day(issue.createdAt)}</p>
<div class="text">${issue.body === "" ? "No description." : issue.body}</div>
${linksOf(platform, repo, issue)}${comments}${pull === undefined ? html`` : await changes(platform, repo, pull)}`,
  );
}

/** From a pull request to what it closes, and from an issue to the pull requests that would close it. */
function linksOf(platform: Platform, repo: RepositoryRecord, issue: IssueRecord): Html {
  const closes = (one: IssueRecord) => closingReferences(`${one.title}\n\n${one.body}`, fullName(repo), platform.url);
  const others =
    issue.pull === undefined
      ? repo.issues.filter(
          (one) =>
            one.pull !== undefined &&
            closes(one).some((reference) => reference.repo === fullName(repo) && reference.number === issue.number),
        )
      : repo.issues.filter((one) => closes(issue).some((reference) => reference.number === one.number));
  if (others.length === 0) return html``;
  const rows = others.map(
    (one) => html`<li>${stateOf(one)} <a href="${pathOf(repo, one)}">${one.title}</a> #${one.number}</li>`,
  );
  return html`<h2>${issue.pull === undefined ? "Pull requests" : "Closes"}</h2><ul class="list">${rows}</ul>`;
}

async function changes(platform: Platform, repo: RepositoryRecord, pull: PullRecord): Promise<Html> {
  const diff = (await platform.git.diff(fullName(repo), pull.baseSha, pull.headSha)).slice(0, LONGEST_DIFF);
  const lines = diff.split("\n").map((line) => html`<span class="${kindOf(line)}">${line}</span>`);
  return html`<h2>Changes</h2><p class="dim">${pull.headRef} into ${pull.baseRef}, at ${pull.headSha.slice(0, 10)}</p>
<pre tabindex="0" aria-label="Changed lines">${lines}</pre>`;
}

function kindOf(line: string): string {
  if (/^(diff |index |\+\+\+ |--- |@@ )/.test(line)) return "at";
  if (line.startsWith("+")) return "add";
  return line.startsWith("-") ? "del" : "same";
}

function pathOf(repo: RepositoryRecord, issue: IssueRecord): string {
  return `/${fullName(repo)}/${issue.pull === undefined ? "issues" : "pull"}/${issue.number}`;
}

function stateOf(issue: IssueRecord): Html {
  const state = issue.pull?.mergedAt === undefined ? issue.state : "merged";
  return html`<span class="state ${state}">${state}</span>`;
}

function labelsOf(issue: IssueRecord): Html[] {
  return issue.labels.map((label) => html`<span class="label">${label}</span> `);
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The page where a person types the code of a device sign-in. */
export function devicePage(outcome: "ask" | "approved" | "denied" | "unknown code", code = ""): string {
  const told = outcome === "ask" ? html`` : html`<p role="status"><b>${OUTCOMES[outcome]}</b></p>`;
  return page(
    "Sign in a device",
    [html`<b>Sign in a device</b>`],
    html`<h1>Sign in a device</h1>${told}<form method="post" action="/login/device">
<p><label>Code<br><input name="user_code" value="${code}" autocomplete="off" required></label></p>
<p><label>Login<br><input name="login" autocomplete="username" required pattern="[A-Za-z0-9\\-]+"></label></p>
<p><button name="decision" value="approve">Approve</button> <button name="decision" value="deny">Deny</button></p></form>`,
  );
}

const OUTCOMES = {
  approved: "Done. You can close this page.",
  denied: "Denied. You can close this page.",
  "unknown code": "No device waits for this code.",
} as const;
