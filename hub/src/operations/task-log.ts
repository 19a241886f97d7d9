import type { Ledger, Reader } from "@nest/dispatch";
import { TimeSlicer } from "@nest/kit";
import { spanOf, tasks } from "@nest/protocol";
import { attemptOf } from "./attempt.ts";
import { anywhere, type FoldedText, whole } from "./folded-text.ts";
import { allInParts, newestFirst, SPAN } from "./newest-first.ts";
import { taskFacetsOf } from "./task-facets.ts";

/** What a relay declared, in lower case; {@link tasks.UNKNOWN} where it declared nothing or it was not kept. */
function declared(column: string): string {
  return `coalesce(nullif(lower(${column}), ''), '${tasks.UNKNOWN}')`;
}

/**
 * Tasks with generations below ?1 and from ?2, newest first, at most ?3: of a repository (?4), a contributor's id (?5), an ending (?6),
 * a backend (?7), a kind of failure (?8), a tier (?10), a model (?11), a relay's version (?12); empty: any. What an agent did not finish is not `completed`.
 */
const FILTERED = `
  select * from tasks
  where gen < ?1 and gen >= ?2
    and (?4 = '' or lower(repo) = ?4) and (?5 = '' or contributor_id = ?5) and (?8 = '' or failure_kind = ?8)
    and (?7 = '' or ${declared("backend")} like ?7 escape '\\') and (?10 = '' or coalesce(tier, '${tasks.UNKNOWN}') = ?10)
    and (?11 = '' or ${declared("model")} like ?11 escape '\\')
    and (?12 = '' or ${declared("relay_version")} like ?12 escape '\\')
    and (?6 = '' or (?6 = 'under_way' and ended_at is null) or (outcome = 'completed' and verdict = ?6)
      or (outcome = ?6 and (outcome <> 'completed' or verdict is null or verdict not in ('no_work_needed', 'blocked'))))
`;
const NEWEST = " order by gen desc limit ?3";

/** ?9: a text in the issue's name or title. */
const TASKS = `${FILTERED} and (?9 = '%%' or lower(item_key || ' ' || title) like ?9 escape '\\') ${NEWEST}`;
/** ?9: the name of an issue, whose tasks have an index of their own. */
const TASKS_OF_ISSUE = `${FILTERED} and item_key = ?9 ${NEWEST}`;
const ISSUE = /^[a-z0-9._-]{1,100}\/[a-z0-9._-]{1,100}#\d{1,10}$/i;

/** The generations of the first and the last task. */
const ENDS = `
  select coalesce((select min(gen) from tasks), 0) as first, coalesce((select max(gen) from tasks), 0) as last`;
/** When the first task from a generation (?1) was given. */
const GIVEN = "select assigned_at from tasks where gen >= ?1 order by gen limit 1";

/** Nobody has this id. */
const NOBODY = "-";

type Row = Readonly<Record<string, unknown>>;

export interface TaskLogDeps {
  readonly reader: Reader;
  readonly ledger: Ledger;
}

/** Every task that was ever given, read from the database in the order of its primary key: a page, or all that a filter finds. */
export class TaskLog {
  readonly #deps: TaskLogDeps;

  constructor(deps: TaskLogDeps) {
    this.#deps = deps;
  }

  /** One page, newest first. */
  async page(
    { limit, cursor, ...filter }: tasks.TaskFilter & { limit: number; cursor?: string | undefined },
    signal?: AbortSignal,
  ) {
    const below = Number.parseInt(cursor ?? "", 10) || Number.MAX_SAFE_INTEGER;
    const found = await this.#read(filter, { below, limit, signal });
    const last = found.at(-1);
    return {
      tasks: found,
      ...(found.length === limit && last !== undefined ? { next_cursor: String(last.task_gen) } : {}),
    };
  }

  /** How many of the newest tasks that a filter finds have which value. */
  async facets(filter: tasks.TaskFilter, signal?: AbortSignal): Promise<tasks.TaskFacets> {
    const counted: tasks.ListedTask[] = [];
    for await (const some of this.all(filter, signal)) {
      counted.push(...some);
      if (counted.length >= tasks.MOST_COUNTED) break;
    }
    return new TimeSlicer().through(taskFacetsOf(counted.slice(0, tasks.MOST_COUNTED)));
  }

  /** Every task that a filter finds, newest first, some at a time. */
  all(filter: tasks.TaskFilter, signal?: AbortSignal): AsyncIterable<readonly tasks.ListedTask[]> {
    return allInParts(
      (below, limit) => this.#read(filter, { below, limit, signal }),
      ({ task_gen: gen }) => gen,
      signal,
    );
  }

  /** The first tasks below a generation that a filter finds. */
  async #read(
    filter: tasks.TaskFilter,
    {
      below,
      limit,
      signal,
    }: { readonly below: number; readonly limit: number; readonly signal: AbortSignal | undefined },
  ): Promise<tasks.ListedTask[]> {
    const { reader, ledger } = this.#deps;
    const [ends] = await reader.all(ENDS);
    const range = { first: Number(ends?.first ?? 0), after: Number(ends?.last ?? 0) + 1 };
    const { from, before } = spanOf(filter);
    const first = from === undefined ? range.first : await this.#generationAt(from, range);
    const until = before === undefined ? range.after : await this.#generationAt(before, range);
    const { values, issue, texts } = this.#valuesOf(filter);
    const asked = texts.filter(([text]) => text.findsMore);
    const read = async ({ low, high }: { readonly low: number; readonly high: number }, most: number) => {
      const limitOfRows = asked.length === 0 ? most : Math.max(most, SPAN);
      const rows = await reader.all(issue === undefined ? TASKS : TASKS_OF_ISSUE, high, low, limitOfRows, ...values);
      return rows
        .filter((row) => asked.every(([text, of]) => text.matches(of(row))))
        .slice(0, most)
        .map((row) => listed(row, ledger));
    };
    const high = Math.min(below, until);
    return issue === undefined
      ? newestFirst({ first, below: high, limit, read, signal })
      : read({ low: first, high }, limit);
  }

  /** The first generation that was given at a time or later: generations rise with time, so twenty looks find it in a million. */
  async #generationAt(
    time: number,
    { first, after }: { readonly first: number; readonly after: number },
  ): Promise<number> {
    let [low, high] = [first, after];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [row] = await this.#deps.reader.all(GIVEN, middle);
      if (row !== undefined && Number(row.assigned_at) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * The parameters from ?4 on, and the texts in them, each with what of a task it is compared with. A text that is a whole login means
   * that contributor, one that names an issue that issue.
   */
  #valuesOf(filter: tasks.TaskFilter) {
    const { q = "", repo = "", contributor = "", outcome = "", failure_kind: kind = "", tier = "" } = filter;
    const byText = contributor === "" && q !== "" ? this.#deps.ledger.contributorByLogin(q)?.id : undefined;
    const id = contributor === "" ? (byText ?? "") : this.#contributorId(contributor);
    const issue = ISSUE.test(q) ? q.toLowerCase() : undefined;
    const text = anywhere(byText === undefined && issue === undefined ? q : "");
    const [backend, model, version] = [whole(filter.backend), whole(filter.model), whole(filter.version)];
    const texts: readonly (readonly [FoldedText, (row: Row) => string])[] = [
      [text, (row) => `${row.item_key} ${row.title}`],
      [backend, (row) => String(row.backend || tasks.UNKNOWN)],
      [model, (row) => String(row.model || tasks.UNKNOWN)],
      [version, (row) => String(row.relay_version || tasks.UNKNOWN)],
    ];
    return {
      values: [
        ...[repo.toLowerCase(), id, outcome, backend.pattern, kind, issue ?? text.pattern],
        ...[tier, model.pattern, version.pattern],
      ],
      texts,
      issue,
    };
  }

  #contributorId(loginOrId: string): string {
    const { ledger } = this.#deps;
    return (ledger.contributorByLogin(loginOrId) ?? ledger.contributor(loginOrId))?.id ?? NOBODY;
  }
}

function listed(row: Row, ledger: Ledger): tasks.ListedTask {
  return {
    ...attemptOf(row, ledger),
    repo: String(row.repo),
    number: Number(row.number),
    title: String(row.title),
    url: String(row.url),
  };
}
