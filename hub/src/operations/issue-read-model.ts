import {
  type DeciderPolicy,
  type Entry,
  failuresNow,
  hubWideRefusals,
  type Judgement,
  type Ledger,
  type OperatorHold,
  operatorHoldOn,
  pauseOf,
  type Queue,
  type QueueFeed,
  type Reader,
} from "@nest/dispatch";
import { NestError } from "@nest/kit";
import {
  type Durations,
  describeUnavailable,
  describeWithheld,
  type governor,
  type issues,
  QUARANTINE_AT,
  type Tier,
} from "@nest/protocol";
import { attemptOf } from "./attempt.ts";
import { ATTEMPTS } from "./feed-queries.ts";
import type { ReadModel } from "./read-model.ts";
import { shownWithheld } from "./shown-withheld.ts";
import type { Visibility } from "./visibility.ts";

export interface IssueReadModelDeps {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly monitor: QueueFeed;
  readonly reader: Reader;
  readonly readModel: ReadModel;
  readonly policy: () => DeciderPolicy;
  readonly settings: () => governor.GovernorSettings;
  readonly times: Durations;
  readonly now: () => number;
}

/** Who asks: an admin also sees the settings that the rules are made of. */
export interface IssueViewer {
  readonly visibility: Visibility;
  readonly isAdmin: boolean;
}

const MOST_ATTEMPTS = 50;
/** No task has this generation. */
const NO_TASK = 0;

const sentences = {
  not_open: "the code host lists no open issue of this number, and nobody was ever given it",
  not_read: "the repository of this issue was not read yet",
  not_served: "this hub serves no such repository, or it is a private one",
} as const;

/** One issue: what every rule says of it now, its place in the queue, and every task that it had. */
export class IssueReadModel {
  readonly #deps: IssueReadModelDeps;

  constructor(deps: IssueReadModelDeps) {
    this.#deps = deps;
  }

  /**
   * An issue by the name of its repository and its number. For who may not see its repository it is not there.
   *
   * @throws NestError `not_found` for an issue of which the hub knows nothing.
   */
  async issue(repo: string, number: number, viewer: IssueViewer): Promise<issues.IssueReply> {
    const { ledger, queue, readModel, reader, times, now } = this.#deps;
    const key = `${repo.toLowerCase()}#${number}`;
    queue.wake(now());
    const rows = viewer.visibility(repo) ? await reader.all(ATTEMPTS, key, NO_TASK, MOST_ATTEMPTS) : [];
    const entry = viewer.visibility(repo) ? queue.entry(key) : undefined;
    const unknown = this.#whyUnknown(repo, viewer);
    const served = { repo: entry?.repo ?? String(rows[0]?.repo ?? repo), number };
    if (entry === undefined && rows.length === 0) throw new NestError("not_found", sentences[unknown]);
    const at = now();
    const place = queue.placeOf(key);
    const hold = operatorHoldOn(ledger, key, at);
    return {
      key,
      ...served,
      ...(entry === undefined ? { unknown } : { issue: this.#item(entry, readModel, viewer) }),
      ...(place === undefined ? {} : { place }),
      actionable_items: queue.actionable,
      closed: this.#closed(at, viewer),
      rules: entry === undefined ? [] : this.#rules(key, viewer, at),
      failures: failuresNow(ledger.item(key), times, at),
      quarantine_at: QUARANTINE_AT,
      ...(hold === undefined ? {} : { hold: holdOf(hold, viewer) }),
      attempts: rows.map((row) => attemptOf(row, ledger)),
    };
  }

  #item(entry: Entry, readModel: ReadModel, { visibility }: IssueViewer): issues.IssueReply["issue"] {
    return { ...readModel.queueItem(entry, visibility), assignees: [...(entry.issue.assignees ?? [])] };
  }

  #whyUnknown(repo: string, { visibility }: IssueViewer): keyof typeof sentences {
    const wanted = repo.toLowerCase();
    const known = this.#deps.monitor.repositories().find((one) => one.repo.toLowerCase() === wanted);
    if (known === undefined || !visibility(repo)) return "not_served";
    return known.state === "scanning" ? "not_read" : "not_open";
  }

  #closed(now: number, { visibility }: IssueViewer): issues.IssueReply["closed"] {
    const { ledger, queue, policy } = this.#deps;
    const pausedBy = visibility.seesOperators === true ? pauseOf(ledger, { kind: "everything" }, now)?.by : undefined;
    return hubWideRefusals(policy(), ledger, queue.isReady, now).map(({ reason, retryAfterMs, note }, nth, all) => ({
      reason,
      because: note ?? describeUnavailable(reason).because,
      ...endOf(retryAfterMs === undefined ? undefined : now + retryAfterMs),
      // The pause of everybody is asked last.
      ...(pausedBy !== undefined && nth === all.length - 1 ? { by: pausedBy } : {}),
    }));
  }

  #rules(key: string, { isAdmin, visibility }: IssueViewer, now: number): issues.IssueRule[] {
    const judged = this.#deps.queue.judgements(key, now).map((judgement) => ruleOf(judgement, isAdmin, visibility));
    return [...judged, ...this.#whoMayHaveIt()].map(({ setting, ...rule }) =>
      isAdmin && setting !== undefined ? { ...rule, setting } : rule,
    );
  }

  /** The rules that say to whom any issue may be given. */
  #whoMayHaveIt(): issues.IssueRule[] {
    const { disabled_tiers, contribute_allow_models, contribute_reject_unknown_models } = this.#deps.settings();
    const isLimited = contribute_reject_unknown_models && contribute_allow_models.length > 0;
    const off: readonly Tier[] = disabled_tiers;
    return [
      {
        rule: "tiers",
        state: off.length === 0 ? "off" : "limits",
        ...(off.length === 0 ? {} : { detail: `nobody of the tier ${off.join(", ")}` }),
        setting: { name: "disabled_tiers", value: off },
      },
      {
        rule: "models",
        state: isLimited ? "limits" : "off",
        setting: { name: "contribute_allow_models", value: contribute_allow_models },
      },
    ];
  }
}

/** What a filter matched is a value of the settings, which are for admins. */
function ruleOf({ rule, withheld, setting }: Judgement, isAdmin: boolean, visibility: Visibility): issues.IssueRule {
  const told = setting === undefined ? {} : { setting: { name: setting.name, value: setting.value } };
  if (withheld === undefined) return { rule, state: setting?.isOn === false ? "off" : "passes", ...told };
  const { until, detail: whole, by } = shownWithheld(withheld, visibility);
  const detail = isAdmin || setting === undefined ? whole : undefined;
  return {
    rule: rule === "waiting" ? withheld.reason : rule,
    state: "withholds",
    because: describeWithheld(withheld.reason, by).because,
    ...endOf(until),
    ...(by === undefined ? {} : { by }),
    ...(detail === undefined ? {} : { detail }),
    ...told,
  };
}

function holdOf({ reason, by, at, until }: OperatorHold, { isAdmin }: IssueViewer): issues.IssueReply["hold"] {
  return { reason, at: iso(at), ...(isAdmin ? { by } : {}), ...endOf(until) };
}

function endOf(until: number | undefined): { readonly until?: string } {
  return until === undefined ? {} : { until: iso(until) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
