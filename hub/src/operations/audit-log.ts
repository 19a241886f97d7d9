import type { Reader } from "@nest/dispatch";
import { type contributors, spanOf } from "@nest/protocol";
import { anywhere } from "./folded-text.ts";
import { allInParts, newestFirst, SPAN } from "./newest-first.ts";

/** When a replica's clock is behind another's, a later entry has an earlier time; by no more than this. */
const CLOCKS_APART_MS = 3_600_000;

/**
 * Lines of the audit with ids below ?1 and from ?2, newest first, at most ?3: from a time (?4) and before another (?5), of one action
 * (?6, empty: any), with a text in the actor (?7), in the subject (?8), or anywhere (?9). What costs least is compared first.
 */
const AUDIT = `
  select * from audit
  where id < ?1 and id >= ?2 and at >= ?4 and at < ?5 and (?6 = '' or action = ?6)
    and (?7 = '%%' or lower(actor) like ?7 escape '\\') and (?8 = '%%' or lower(subject) like ?8 escape '\\')
    and (?9 = '%%' or lower(actor || ' ' || action || ' ' || subject || ' ' || coalesce(before, '') || ' ' || coalesce(after, ''))
      like ?9 escape '\\')
  order by id desc limit ?3`;

/** The ids of the first and the last line. */
const ENDS = `
  select coalesce((select min(id) from audit), 0) as first, coalesce((select max(id) from audit), 0) as last`;
/** When the first line from an id (?1) was written. */
const WRITTEN = "select at from audit where id >= ?1 order by id limit 1";

type Entry = contributors.AuditEntry;

/** Who changed what, read from the database: a page at a time, or everything that a filter finds. */
export class AuditLog {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** One page, newest first. */
  async page(
    { limit, cursor, ...filter }: contributors.AuditFilter & { limit: number; cursor?: string | undefined },
    signal?: AbortSignal,
  ) {
    const before = Number.parseInt(cursor ?? "", 10) || Number.MAX_SAFE_INTEGER;
    const audit = await this.#read(filter, { below: before, limit, signal });
    const last = audit.at(-1);
    return { audit, ...(audit.length === limit && last !== undefined ? { next_cursor: String(last.id) } : {}) };
  }

  /** Every entry that a filter finds, newest first, some at a time. */
  all(filter: contributors.AuditFilter, signal?: AbortSignal): AsyncIterable<readonly Entry[]> {
    return allInParts(
      (below, limit) => this.#read(filter, { below, limit, signal }),
      ({ id }) => id,
      signal,
    );
  }

  /** The first entries below an id that a filter finds. */
  async #read(
    filter: contributors.AuditFilter,
    {
      below,
      limit,
      signal,
    }: { readonly below: number; readonly limit: number; readonly signal: AbortSignal | undefined },
  ): Promise<Entry[]> {
    const { from = 0 } = spanOf(filter);
    const [ends] = await this.#reader.all(ENDS);
    return newestFirst({
      first: Number(ends?.first ?? 0),
      below: Math.min(below, Number(ends?.last ?? 0) + 1),
      limit,
      signal,
      read: (span, most) => this.#readSpan(filter, span, most),
      isOver: async (low) => {
        const [written] = await this.#reader.all(WRITTEN, low);
        return written !== undefined && Number(written.at) < from - CLOCKS_APART_MS;
      },
    });
  }

  async #readSpan(
    filter: contributors.AuditFilter,
    { low, high }: { readonly low: number; readonly high: number },
    limit: number,
  ): Promise<Entry[]> {
    const { q, actor, subject, action = "" } = filter;
    const { from = 0, before = Number.MAX_SAFE_INTEGER } = spanOf(filter);
    const texts = [anywhere(actor), anywhere(subject), anywhere(q)] as const;
    const findsMore = texts.some((text) => text.findsMore);
    const patterns = texts.map(({ pattern }) => pattern);
    const most = findsMore ? Math.max(limit, SPAN) : limit;
    const rows = await this.#reader.all(AUDIT, high, low, most, from, before, action, ...patterns);
    if (!findsMore) return rows.map(entryOf);
    const [byActor, bySubject, byText] = texts;
    return rows
      .filter((row) => byActor.matches(String(row.actor)) && bySubject.matches(String(row.subject)))
      .filter(({ actor: by, action: what, subject: whom, before: was = "", after: is = "" }) =>
        byText.matches([by, what, whom, was ?? "", is ?? ""].join(" ")),
      )
      .slice(0, limit)
      .map(entryOf);
  }
}

function entryOf(row: Record<string, unknown>): Entry {
  return {
    id: Number(row.id),
    at: new Date(Number(row.at)).toISOString(),
    actor: String(row.actor),
    action: String(row.action),
    subject: String(row.subject),
    ...(row.before === null ? {} : { before: JSON.parse(String(row.before)) as unknown }),
    ...(row.after === null ? {} : { after: JSON.parse(String(row.after)) as unknown }),
  };
}
