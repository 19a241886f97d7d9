/** Labels and title openings by which people mark an issue that only collects others. */
const MARKS = ["tracker", "tracking", "tracking issue", "umbrella", "meta", "epic", "roadmap"] as const;
const MARK_LABELS: ReadonlySet<string> = new Set([
  ...MARKS,
  "kind/umbrella",
  "kind/tracking",
  "type: epic",
  "kind/epic",
]);
const MARK_TITLE = new RegExp(`^\\s*(?:\\[(?:${MARKS.join("|")})\\]|(?:${MARKS.join("|")})\\s*:)`, "i");

/** This many open or done points that only name other issues make a list of them. */
const LIST_OF_ISSUES = 3;
const POINT =
  /^\s{0,8}[-*+] \[[ xX]\] +(?:[\w.-]+\/[\w.-]+)?#\d+\b|^\s{0,8}[-*+] \[[ xX]\] +https?:\/\/\S+\/issues\/\d+\b/;
const LONGEST_BODY = 16 * 1024;

/** Whether an issue is a tracker: it collects other issues, is never done by itself, and would be handed out for ever. */
export function isTracker(issue: {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}): boolean {
  if (issue.labels.some((label) => MARK_LABELS.has(label.toLowerCase()))) return true;
  if (MARK_TITLE.test(issue.title)) return true;
  let points = 0;
  for (const line of issue.body.slice(0, LONGEST_BODY).split("\n")) if (POINT.test(line.slice(0, 200))) points += 1;
  return points >= LIST_OF_ISSUES;
}
