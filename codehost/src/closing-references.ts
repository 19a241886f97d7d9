/** An issue that a text says it closes. */
export interface IssueReference {
  /** `owner/name`, lower-cased where it was written out; the given repository's own spelling otherwise. */
  readonly repo: string;
  readonly number: number;
}

export const PUBLIC_WEB_BASE = "https://github.com";

const KEYWORD = String.raw`\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)`;
const NAME = "[A-Za-z0-9_.-]{1,100}";
/** Every repetition is bounded, so that no text, however long or hostile, takes more than linear time. */
const REFERENCE = new RegExp(
  String.raw`${KEYWORD}(?::[ \t]{0,8}|[ \t]{1,8}:?[ \t]{0,8})(?:(?:(${NAME})/(${NAME}))?#|(https?://[A-Za-z0-9.:_-]{1,200}(?:/[A-Za-z0-9._-]{1,60}){0,3}?)/(${NAME})/(${NAME})/issues/)(\d{1,15})(?![A-Za-z0-9_])`,
  "gi",
);

/**
 * The issues that the platform will close when a pull request with this title or body is merged: a closing keyword, an optional
 * colon, then `#N`, `owner/repo#N` or an issue's address under `webBase`. What stands in code is not read. Each issue once, in
 * order of appearance. Linear in the length of the text.
 */
export function closingReferences(text: string, repo: string, webBase = PUBLIC_WEB_BASE): IssueReference[] {
  const found = new Map<string, IssueReference>();
  const base = webBase.replace(/\/+$/, "").toLowerCase();
  for (const match of withoutCode(text).matchAll(REFERENCE)) {
    const [, owner, name, origin, urlOwner, urlName, digits = ""] = match;
    if (origin !== undefined && origin.toLowerCase() !== base) continue;
    const number = Number(digits);
    if (number < 1) continue;
    const written = owner === undefined ? undefined : `${owner}/${name}`;
    const named = written ?? (urlOwner === undefined ? undefined : `${urlOwner}/${urlName}`);
    const where = sameName(named, repo) ? repo : (named ?? repo).toLowerCase();
    const key = `${where}#${number}`;
    if (!found.has(key)) found.set(key, { repo: where, number });
  }
  return [...found.values()];
}

function sameName(named: string | undefined, repo: string): boolean {
  return named === undefined || named.toLowerCase() === repo.toLowerCase();
}

/** Blanks out fenced blocks, inline code and comments: the platform ignores references there too. */
function withoutCode(text: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      kept.push("");
      continue;
    }
    kept.push(line);
  }
  return withoutInlineCode(withoutComments(kept.join("\n")));
}

function withoutComments(text: string): string {
  let out = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf("<!--", at);
    if (start < 0) return out + text.slice(at);
    out += `${text.slice(at, start)} `;
    const end = text.indexOf("-->", start + 4);
    if (end < 0) return out;
    at = end + 3;
  }
}

/**
 * Blanks out inline code. A run of backticks is closed by the next run of the same length; one that is never closed is plain
 * text.
 */
function withoutInlineCode(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map((match) => ({ at: match.index, length: match[0].length }));
  const nextOfLength = new Map<number, number>();
  const closedBy = new Array<number | undefined>(runs.length);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const length = runs[index]?.length ?? 0;
    closedBy[index] = nextOfLength.get(length);
    nextOfLength.set(length, index);
  }
  let out = "";
  let at = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const run = runs[index];
    const close = closedBy[index];
    const closing = close === undefined ? undefined : runs[close];
    if (run === undefined || close === undefined || closing === undefined) continue;
    out += `${text.slice(at, run.at)} code `;
    at = closing.at + closing.length;
    index = close;
  }
  return out + text.slice(at);
}
