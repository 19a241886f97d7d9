import type { Account, Comment, Issue, PullRequest } from "./codehost.ts";
import { badAnswer } from "./failures.ts";

type Row = Readonly<Record<string, unknown>>;

/** The value as an object. @throws codehost_bad_answer */
export function asRow(value: unknown, what: string): Row {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Row;
  throw badAnswer(what, `an object was expected, not ${kindOf(value)}`);
}

/** The value as an array of objects. @throws codehost_bad_answer */
export function asRows(value: unknown, what: string): Row[] {
  if (!Array.isArray(value)) throw badAnswer(what, `a list was expected, not ${kindOf(value)}`);
  return value.map((row) => asRow(row, what));
}

/** A text field that has to be there. @throws codehost_bad_answer */
export function textIn(row: Row, name: string, what: string): string {
  const value = row[name];
  if (typeof value === "string") return value;
  throw badAnswer(what, `${name} is missing`);
}

/** A whole number that has to be there. @throws codehost_bad_answer */
function numberIn(row: Row, name: string, what: string): number {
  const value = row[name];
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw badAnswer(what, `${name} is missing`);
}

/** A time field as milliseconds since 1970. @throws codehost_bad_answer */
export function timeIn(row: Row, name: string, what: string): number {
  const time = Date.parse(textIn(row, name, what));
  if (Number.isNaN(time)) throw badAnswer(what, `${name} is not a time`);
  return time;
}

/** A field that holds an object, or undefined where it is absent or null. */
export function rowIn(row: Row, name: string): Row | undefined {
  const value = row[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Row) : undefined;
}

/** A field that holds a list of objects; an absent one is empty. */
export function rowsIn(row: Row, name: string): Row[] {
  const value = row[name];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "object" && entry !== null) : [];
}

/** An issue out of the platform's JSON; undefined for a pull request, which its issue lists hold too. */
export function readIssue(row: Row, repo: string, what: string): Issue | undefined {
  if (row.pull_request !== undefined && row.pull_request !== null) return undefined;
  return {
    repo,
    number: numberIn(row, "number", what),
    title: textIn(row, "title", what),
    body: optionalText(row.body),
    url: textIn(row, "html_url", what),
    state: row.state === "closed" ? "closed" : "open",
    author: loginOf(row),
    ...authorIdOf(row),
    labels: labelsOf(row),
    assignees: rowsIn(row, "assignees").map((user) => optionalText(user.login)),
    createdAt: timeIn(row, "created_at", what),
    updatedAt: timeIn(row, "updated_at", what),
  };
}

const BELONGING: ReadonlySet<unknown> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/** A comment out of the platform's JSON. @throws codehost_bad_answer */
export function readComment(row: Row, what: string): Comment {
  return {
    author: loginOf(row),
    ...authorIdOf(row),
    authorIsApp: rowIn(row, "user")?.type === "Bot",
    authorBelongs: BELONGING.has(row.author_association),
    updatedAt: timeIn(row, "updated_at", what),
  };
}

/** A pull request out of the platform's JSON. @throws codehost_bad_answer */
export function readPullRequest(row: Row, repo: string, what: string): PullRequest {
  const head = asRow(row.head, what);
  const headRepo = rowIn(head, "repo");
  const base = asRow(row.base, what);
  const baseRepo = rowIn(base, "repo");
  const merged = typeof row.merged_at === "string";
  return {
    repo,
    number: numberIn(row, "number", what),
    title: textIn(row, "title", what),
    body: optionalText(row.body),
    url: textIn(row, "html_url", what),
    author: loginOf(row),
    ...authorIdOf(row),
    authorIsApp: rowIn(row, "user")?.type === "Bot",
    state: row.state === "closed" ? "closed" : "open",
    merged,
    ...(merged ? { mergedAt: timeIn(row, "merged_at", what) } : {}),
    headRef: textIn(head, "ref", what),
    headSha: textIn(head, "sha", what),
    ...(headRepo === undefined ? {} : { headRepo: textIn(headRepo, "full_name", what) }),
    baseRef: textIn(base, "ref", what),
    ...(baseRepo === undefined ? {} : { baseRepo: textIn(baseRepo, "full_name", what) }),
    draft: row.draft === true,
    createdAt: timeIn(row, "created_at", what),
    updatedAt: timeIn(row, "updated_at", what),
  };
}

/** The author's login. A deleted account comes as null; the platform's own name for it is ghost. */
function loginOf(row: Row): string {
  const login = rowIn(row, "user")?.login;
  return typeof login === "string" ? login : "ghost";
}

/** An account out of the platform's JSON. @throws codehost_bad_answer */
export function readAccount(row: Row, what: string): Account {
  const id = accountId(row);
  return { login: textIn(row, "login", what), ...(id === undefined ? {} : { id }) };
}

function authorIdOf(row: Row): { readonly authorId?: number } {
  const id = accountId(rowIn(row, "user"));
  return id === undefined ? {} : { authorId: id };
}

function accountId(row: Row | undefined): number | undefined {
  const id = row?.id;
  return typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

function labelsOf(row: Row): string[] {
  if (!Array.isArray(row.labels)) return [];
  return row.labels.flatMap((label: unknown) => {
    if (typeof label === "string") return [label];
    const name = typeof label === "object" && label !== null ? (label as Row).name : undefined;
    return typeof name === "string" ? [name] : [];
  });
}

function optionalText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function kindOf(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "text" : typeof value;
}
