import {
  type Activity,
  type Entry,
  type Ledger,
  ORDER_SETTING,
  operatorHoldOn,
  PAUSE_PREFIX,
  type PauseScope,
  pauseOf,
  pinnedOrder,
  type Queue,
  type QueueFeed,
  type Reader,
} from "@nest/dispatch";
import { type Clock, plainLine, TimeSlicer } from "@nest/kit";
import {
  type contribute,
  describeWithheld,
  type governor,
  type OptionalPaging,
  PROTOCOL_VERSION,
  saysOperator,
} from "@nest/protocol";
import { Revision } from "../queue-settings/revision.ts";
import type { Gateway } from "../relays/gateway.ts";
import type { Peers, RemoteRelay } from "../relays/peers.ts";
import type { Session } from "../relays/session.ts";
import { DAY_HOURS, type DoneByHour } from "./done-by-hour.ts";
import { ACTIVITY, activityOf, RETAINED } from "./feed-queries.ts";
import { facetsOf, issueMatcher } from "./issue-filter.ts";
import { nextAfter, pageOf, placeIn } from "./page-of.ts";
import { type RelayRowDeps, RelayRows } from "./relay-rows.ts";
import { rowsInSteps } from "./rows-in-steps.ts";
import { shownWithheld } from "./shown-withheld.ts";
import type { Visibility } from "./visibility.ts";
import { withheldSentence } from "./withheld-sentence.ts";
import { WorkRows } from "./work-rows.ts";

export interface ReadModelDeps {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly gateway: Gateway;
  readonly monitor: QueueFeed;
  readonly reader: Reader;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly doneByHour: DoneByHour;
  readonly settings: () => governor.GovernorSettings;
  readonly webUrl: string;
  readonly roles: RelayRowDeps["roles"];
}

type QueuePage = contribute.QueueFilter & {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly facets?: "yes" | undefined;
};

interface FoundPage {
  readonly rows: readonly Entry[];
  /** How many issues there are on all pages. */
  readonly matching: number;
  readonly hidden: number;
  readonly facets: Pick<contribute.QueueReply, "facets">;
  readonly next: { readonly next_cursor?: string };
}

/**
 * What people see of the hub: one function for each page or route, all from the same counts. It contains no tokens and no
 * secrets.
 */
export class ReadModel {
  readonly #deps: ReadModelDeps;
  readonly #revision = new Revision();
  /** Who and what is paused; undefined until it is asked for again. Looking through all settings is not for every status. */
  #pauses: readonly unknown[] | undefined;

  readonly #rows: RelayRows;
  readonly #work: WorkRows;

  constructor(deps: ReadModelDeps) {
    this.#deps = deps;
    this.#rows = new RelayRows({ ledger: deps.ledger, roles: deps.roles, now: () => deps.clock.now() });
    this.#work = new WorkRows(deps.ledger);
  }

  /**
   * Call before reading relays: resolves when the cached lists of other replicas are fresh; undefined if they already are.
   */
  refreshed(): Promise<void> | undefined {
    return this.#deps.peers.refreshed();
  }

  /** Call when somebody or something was paused, or a pause ended. */
  pausesChanged(): void {
    this.#pauses = undefined;
  }

  /** Call when any setting changed: roles and pauses of relays are among them. */
  settingsChanged(): void {
    this.#rows.forget();
  }

  status(visibility: Visibility): contribute.StatusReply {
    const { ledger, queue, gateway, monitor, peers, settings, doneByHour, webUrl } = this.#deps;
    const { contribute_suspended: suspended, contribute_announcement: announcement } = settings();
    const active = new Set(peers.relays().map(({ row }) => row.contributor_id));
    // With one replica, the usual case, nobody is counted one by one.
    if (active.size > 0) for (const id of gateway.contributorIds()) active.add(id);
    queue.wake(this.#deps.clock.now());
    this.#pauses ??= ledger.settingsOf(PAUSE_PREFIX);
    return {
      hub: "online",
      active_contributors: active.size === 0 ? gateway.contributors : active.size,
      total_registered: ledger.contributorCount,
      actionable_items: queue.actionable,
      total_items: queue.size,
      withheld: queue.withheldCounts(),
      ...(visibility.seesOperators === true ? { pinned: pinnedOrder(ledger).length } : {}),
      suspended,
      ...this.#pauseShown({ kind: "everything" }, visibility),
      ...(announcement === "" ? {} : { announcement }),
      in_flight: ledger.leaseCount,
      completed_day: doneByHour.sum(DAY_HOURS, this.#deps.clock.now()).completed,
      code_host: webUrl,
      surface: "hub",
      api_version: PROTOCOL_VERSION,
      repositories: monitor
        .repositories()
        .filter(({ repo }) => visibility(repo))
        .map(({ repo, state, issues, error }) => ({
          repo,
          state,
          issues,
          ...(error === undefined ? {} : { error }),
          ...this.#pauseShown({ kind: "repository", repo }, visibility),
        })),
      revision: this.#revision.of(settings(), ledger.setting(ORDER_SETTING), this.#pauses),
    };
  }

  /** One page of the queue; `withheld` appends the issues that are not offered. A generator, one issue a step. */
  *queue(query: QueuePage, visibility: Visibility): Generator<void, contribute.QueueReply> {
    const { queue } = this.#deps;
    const { rows, matching, hidden, facets, next } = isPlain(query)
      ? this.#pageOfOffer(query, visibility)
      : yield* this.#pageOfFound(query, visibility);
    const counts = queue.withheldCounts();
    return {
      queue: rows.map((entry) => this.queueItem(entry, visibility)),
      actionable_items: queue.actionable,
      withheld: counts,
      withheld_because: Object.fromEntries(
        Object.keys(counts).map((reason) => [reason, describeWithheld(reason).because]),
      ),
      hidden,
      matching,
      ...facets,
      ...next,
    };
  }

  /** The page that every open Operations page reads again and again: it costs no more with a longer queue. */
  #pageOfOffer(query: QueuePage, visibility: Visibility): FoundPage {
    const { queue, clock } = this.#deps;
    queue.wake(clock.now());
    const from = placeIn(query.cursor);
    const { entries, total, hidden } = queue.pageInOrder({ from, limit: query.limit }, visibility);
    return { rows: entries, matching: total, hidden, facets: {}, next: nextAfter(from + entries.length, total) };
  }

  *#pageOfFound(query: QueuePage, visibility: Visibility): Generator<void, FoundPage> {
    const { all, hidden } = yield* this.foundIssues(query, visibility);
    const facets = query.facets === undefined ? {} : { facets: yield* facetsOf(all) };
    return { ...pageOf(all, query), matching: all.length, hidden, facets };
  }

  /** Every issue that a filter finds, and how many of private repositories were left out. A generator, one issue a step. */
  *foundIssues(
    filter: contribute.QueueFilter,
    visibility: Visibility,
  ): Generator<void, { readonly all: readonly Entry[]; readonly hidden: number }> {
    const { queue, clock } = this.#deps;
    queue.wake(clock.now());
    const { reason } = filter;
    const known = reason === undefined ? queue.inOrder() : [];
    if (filter.with === "withheld" || reason !== undefined) {
      for (const entry of queue.entries())
        if (entry.withheld !== undefined && (reason ?? entry.withheld.reason) === entry.withheld.reason)
          known.push(entry);
    }
    const isWanted = issueMatcher(filter);
    const all: Entry[] = [];
    let hidden = 0;
    for (const entry of known) {
      if (!visibility(entry.repo)) hidden += 1;
      else if (isWanted(entry)) all.push(entry);
      yield;
    }
    return { all, hidden };
  }

  /**
   * One page of relays and tasks (one offset for both), or all of them. A generator, a few rows a step, so that the caller can
   * yield to the event loop.
   */
  *fleet(visibility: Visibility, page: OptionalPaging = {}): Generator<void, contribute.FleetReply> {
    const { ledger, queue, gateway, peers, settings } = this.#deps;
    this.#rows.madeUnder(settings());
    const remote = new Map(peers.relays().map((relay) => [relay.row.connection_id, relay]));
    const work: contribute.FleetWork[] = [];
    const taskAt = new Map<string, string>();
    yield* rowsInSteps([...ledger.liveLeases()], (lease) => {
      const { connection = "" } = lease;
      if (!taskAt.has(connection)) taskAt.set(connection, lease.taskId);
      const note = gateway.session(connection)?.note ?? remote.get(connection)?.note;
      work.push(this.#work.of(lease, note, visibility));
    });
    const counts = queue.withheldCounts();
    const cooling = ["failed", "quarantined", "connection_lost", "given_back", "requeued"];
    const clankers: contribute.FleetRelay[] = [];
    yield* rowsInSteps([...gateway.sessions()], (session) => {
      const row = this.#rows.ofSession(session, taskAt.get(session.connection), visibility);
      if (row !== undefined) clankers.push(row);
    });
    yield* rowsInSteps([...remote.values()], (relay) => {
      clankers.push(this.#rows.ofRemote(relay, taskAt.get(relay.row.connection_id), visibility));
    });
    const from = Number(page.cursor ?? 0);
    const to = from + (page.limit ?? Number.MAX_SAFE_INTEGER);
    return {
      clankers: from === 0 && to >= clankers.length ? clankers : clankers.slice(from, to),
      work: work.slice(from, to),
      cooldown_count: cooling.reduce((sum, reason) => sum + (counts[reason] ?? 0), 0),
      in_flight_count: work.length,
      held_count: counts.operator_hold ?? 0,
      ...(to < Math.max(clankers.length, work.length) ? { next_cursor: String(to) } : {}),
    };
  }

  /** This replica's relays, unfiltered; the replica that serves the request applies visibility. */
  ownRelays(): RemoteRelay[] {
    const all = () => true;
    return [...this.#deps.gateway.sessions()].flatMap((session) => {
      const row = this.#rows.ofSession(session, undefined, all);
      return row === undefined ? [] : [{ row, note: session.note }];
    });
  }

  /** The connected relays of one contributor, on every replica, as they may see them themselves. */
  relaysOf(contributorId: string): contribute.FleetRelay[] {
    const all = () => true;
    const here = [...this.#deps.gateway.sessions()]
      .filter(({ relayIdentity }) => relayIdentity?.contributorId === contributorId)
      .map((session) => this.#rows.ofSession(session, this.#taskOf(session), all))
      .filter((row) => row !== undefined);
    const elsewhere = this.#deps.peers.relays().filter(({ row }) => row.contributor_id === contributorId);
    return [...here, ...elsewhere.map((relay) => this.#rows.ofRemote(relay, this.#taskOfRemote(relay), all))];
  }

  #taskOf({ relayIdentity, connection }: Session): string | undefined {
    return relayIdentity === undefined ? undefined : this.#taskAt(relayIdentity.contributorId, connection);
  }

  #taskOfRemote({ row }: RemoteRelay): string | undefined {
    return this.#taskAt(row.contributor_id, row.connection_id);
  }

  /** The task of a contributor's connection. */
  #taskAt(contributorId: string, connection: string): string | undefined {
    return this.#deps.ledger.leasesOfContributor(contributorId).find((lease) => lease.connection === connection)
      ?.taskId;
  }

  /** Every connected relay, on every replica, as admins see it. */
  async connectedRelays(): Promise<readonly contribute.FleetRelay[]> {
    await this.refreshed();
    return (await new TimeSlicer().through(this.fleet(() => true))).clankers;
  }

  #pauseShown(scope: PauseScope, visibility: Visibility): Pick<contribute.StatusReply, "pause"> {
    const pause = pauseOf(this.#deps.ledger, scope, this.#deps.clock.now());
    if (pause === undefined) return {};
    const { note, until, by } = pause;
    const whose = visibility.seesOperators === true ? { by } : {};
    return { pause: { note, ...(until === null ? {} : { until: iso(until) }), ...whose } };
  }

  /** The newest lines of the feed, newest first. */
  async latest(count: number): Promise<Activity[]> {
    return (await this.#deps.reader.all(ACTIVITY, Number.MAX_SAFE_INTEGER, count)).map(activityOf);
  }

  async activity(
    limit: number,
    cursor: string | undefined,
    visibility: Visibility,
  ): Promise<{ activity: contribute.ActivityEntry[]; retained: number; next_cursor?: string }> {
    const { reader } = this.#deps;
    const before = Number.parseInt(cursor ?? "", 10) || Number.MAX_SAFE_INTEGER;
    const rows = await reader.all(ACTIVITY, before, limit);
    const entries = rows.map((row) => this.entry(activityOf(row), visibility));
    const last = entries.at(-1);
    // Ids are consecutive, so the first and the last give the number of lines; counting them would delay every relay.
    const [span] = await reader.all(RETAINED);
    const retained = Number(span?.n ?? 0);
    return {
      activity: entries,
      retained,
      ...(entries.length === limit && last !== undefined ? { next_cursor: String(last.id) } : {}),
    };
  }

  /** The activity line as sent to a viewer; of a hidden repository it says only that something happened. */
  entry(line: Activity, visibility: Visibility): contribute.ActivityEntry {
    const { task, detail } = line;
    // People click the link, so only addresses on the code host are passed on.
    const url = this.#onCodeHost(line.url) ?? this.#onCodeHost(task?.url);
    const repo = task?.repo ?? (url === undefined ? undefined : repoOf(url, this.#deps.webUrl));
    const entry: contribute.ActivityEntry = {
      id: line.id,
      timestamp: iso(line.at),
      username: line.login,
      action: line.action,
    };
    if (repo !== undefined && !visibility(repo)) {
      entry.private = true;
      return entry;
    }
    if (task !== undefined) {
      entry.task = `${task.repo}#${task.number}`;
      entry.task_id = task.taskId;
      entry.title = task.title;
    }
    if (url !== undefined) entry.url = url;
    const isForOperators = visibility.seesOperators !== true && saysOperator(line.action);
    if (detail !== undefined && detail !== "" && !isForOperators) entry.detail = detail;
    return entry;
  }

  /** An address if it is one of a repository on the code host. */
  #onCodeHost(url: string | undefined): string | undefined {
    return url === undefined || repoOf(url, this.#deps.webUrl) === undefined ? undefined : url;
  }

  /** An issue of the queue. */
  queueItem(entry: Entry, visibility: Visibility): contribute.QueueItem {
    const now = this.#deps.clock.now();
    const { issue, key } = entry;
    const withheld = entry.withheld === undefined ? undefined : shownWithheld(entry.withheld, visibility);
    const held = operatorHoldOn(this.#deps.ledger, key, now);
    return {
      key,
      repo: entry.repo,
      number: entry.number,
      title: entry.title,
      url: entry.url,
      labels: issue.labels.map(plainLine),
      author: issue.author,
      updated_at: iso(entry.updatedAt),
      ...(pinnedOrder(this.#deps.ledger).includes(key) ? { ordered: true } : {}),
      ...(held === undefined ? {} : { held: true, held_reason: held.reason }),
      ...(withheld === undefined
        ? {}
        : {
            withheld: {
              reason: withheld.reason,
              because: withheldSentence(withheld, now),
              ...(withheld.until === undefined ? {} : { until: iso(withheld.until) }),
              ...(withheld.detail === undefined ? {} : { detail: withheld.detail }),
              ...(withheld.by === undefined ? {} : { by: withheld.by }),
            },
          }),
    };
  }
}

/** Whether a page of the queue is of all that is on offer, without any filter. */
function isPlain({ limit: _, cursor: __, ...filter }: QueuePage): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** The repository that an address on the code host belongs to. */
function repoOf(url: string, webUrl: string): string | undefined {
  if (!url.startsWith(webUrl) || url[webUrl.length] !== "/") return undefined;
  const from = webUrl.length + 1;
  const slash = url.indexOf("/", from);
  if (slash === -1) return undefined;
  const end = url.indexOf("/", slash + 1);
  return url.slice(from, end === -1 ? url.length : end);
}
