import { plainText } from "@nest/kit";

export type VerdictWord = "complete" | "no_work_needed" | "blocked";

export interface Verdict {
  readonly word: VerdictWord;
  readonly reason?: string;
}

const REASON_LENGTH = 200;
const LONGEST_LINE = 2000;
const DECORATION = /[\s*_`|│┃]/;

/** Decorations that terminals and Markdown put around a line. */
const VERDICT_LINE =
  /^[\s>*_`#|│┃●⏺•◦-]*(?:NEST|HIVE)_VERDICT:[\s*_`]*(complete|no_work_needed|blocked)(?![\w|])(.*)$/i;

/** Added to every prompt that does not ask for a verdict itself. */
export const VERDICT_REQUEST = [
  "When you are finished, end your answer with exactly one line of this form:",
  "NEST_VERDICT: complete|no_work_needed|blocked [reason]",
  "complete: the work is done, and any pull request is open and its link printed. no_work_needed: there is nothing to do.",
  "blocked: you cannot go on; say why.",
].join("\n");

/** Whether a prompt asks for a verdict line by itself. */
export function asksForVerdict(prompt: string): boolean {
  return /\b(?:NEST|HIVE)_VERDICT:/.test(prompt);
}

/** Every verdict line of a text, in order. Lines that offer a choice (`complete|blocked`) are none. */
export function verdictLines(text: string): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  for (const line of plainText(text).split("\n")) {
    if (!line.includes("_VERDICT")) continue;
    // A verdict is short. The cut keeps the pattern fast on a line of a megabyte that was made to slow it down.
    const match = VERDICT_LINE.exec(line.slice(0, LONGEST_LINE));
    if (match === null) continue;
    const word = (match[1] ?? "").toLowerCase() as VerdictWord;
    const reason = cleanReason(match[2] ?? "");
    verdicts.push(reason === "" ? { word } : { word, reason });
  }
  return verdicts;
}

/** The verdict an output ends with: the last line wins. */
export function readVerdict(output: string): Verdict | undefined {
  return verdictLines(output).at(-1);
}

function cleanReason(rest: string): string {
  const bare = withoutEnd(rest)
    .replace(/^[\s*_`]*[-–—:,.]?\s*/, "")
    .replace(/^\[(.*)\]$/, "$1");
  return [...bare.replace(/\s+/g, " ").trim()].slice(0, REASON_LENGTH).join("");
}

/** A line without the decorations at its end. A regular expression would take quadratic time for it. */
function withoutEnd(line: string): string {
  let end = line.length;
  while (end > 0 && DECORATION.test(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}

/**
 * The last pull-request link of `repo` under the code host's web base, cut after the number; undefined when there is none.
 * Links of other repositories or hosts do not count.
 */
export function pullRequestLink(output: string, repo: string, webBase: string): string | undefined {
  const base = `${webBase.replace(/\/+$/, "")}/${repo}/pull/`;
  const pattern = new RegExp(`${escapeForPattern(base)}(\\d{1,10})(?!\\d)`, "gi");
  let last: string | undefined;
  for (const match of plainText(output).matchAll(pattern)) last = match[0];
  return last;
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
