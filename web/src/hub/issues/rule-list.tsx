import type { issues } from "@nest/protocol";
import { describeWithheld } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { capitalised, dateAndTime, safeHref } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { nameOfAddress } from "./linked-pieces.ts";

/** What each rule is about. A rule that is not listed is called as the reason that it gives. */
const names: Readonly<Record<string, string>> = {
  repo_disabled: "Repositories that are off",
  label_filter: "Label filter",
  title_filter: "Title filter",
  author_filter: "Author filter",
  tracker: "Trackers are skipped",
  assigned_to_other: "Assigned issues are skipped",
  leased: "Somebody works on it",
  repo_paused: "Pause of its repository",
  operator_hold: "Hold by an operator",
  claimed: "Claim by a pull request",
  waiting: "Wait after an earlier attempt",
  tiers: "Tiers that get work",
  models: "Models that may connect",
};

const states = {
  passes: { words: "passes", tone: "good" },
  withholds: { words: "holds it back", tone: "bad" },
  limits: { words: "limits who gets it", tone: "warn" },
  off: { words: "off", tone: "quiet" },
} as const;

/** Every rule that is asked before an issue is offered, in that order, with its value and what it says. */
export function RuleList({ rules }: { readonly rules: readonly issues.IssueRule[] }) {
  return (
    <Panel id="rules" title="Rules, in the order in which they are asked">
      <ol className="plain-list" aria-label="Rules">
        {rules.map((rule) => (
          <li key={rule.rule} data-rule={rule.rule}>
            <Rule rule={rule} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Rule({ rule: { rule, state, because, by, until, detail, setting } }: { readonly rule: issues.IssueRule }) {
  const { words, tone } = states[state];
  const href = safeHref(detail);
  return (
    <>
      <p className="line">
        <b>{names[rule] ?? `Wait: ${describeWithheld(rule).label}`}</b>
        <span className="mark rule-state" data-tone={tone}>
          {words}
        </span>
      </p>
      {because === undefined && detail === undefined ? undefined : (
        <p>
          {because === undefined ? "" : by === undefined ? capitalised(because) : because}
          {because === undefined || detail === undefined ? "" : ": "}
          {detail === undefined ? undefined : href === undefined ? (
            <bdi>{detail}</bdi>
          ) : (
            <a href={href} target="_blank" rel="noopener noreferrer">
              <bdi>{nameOfAddress(detail) ?? detail}</bdi>
            </a>
          )}
          {until === undefined ? "" : `, until ${dateAndTime(until)}`}
        </p>
      )}
      {setting === undefined ? undefined : (
        <p className="facts">
          <Link to="/settings">{setting.name}</Link>
          <bdi className="rule-value">{valueWords(setting.value)}</bdi>
        </p>
      )}
    </>
  );
}

function valueWords(value: unknown): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.length === 0 ? "empty" : value.join(", ");
  if (typeof value === "object" && value !== null && "patterns" in value && "mode" in value)
    return `${String(value.mode)}: ${valueWords(value.patterns)}`;
  return JSON.stringify(value);
}
