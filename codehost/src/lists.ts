import type { Answer } from "./caller.ts";
import type { Scan } from "./codehost.ts";
import { badAnswer } from "./failures.ts";

/** The largest page that the platform gives. */
export const PAGE_SIZE = 100;
/** Pages read at the same time. */
const PARALLEL = 4;
/** Most passes over a list that keeps changing while it is read. */
const PASSES = 4;

/** Fetches page `page` (from 1) of a list, conditional on `etag`. */
export type FetchPage = (page: number, etag: string | undefined) => Promise<Answer>;

interface Page<T> {
  readonly etag: string | undefined;
  readonly items: readonly T[];
  /** The highest page that the Link header speaks of; this page itself when there is nothing after it. */
  readonly last: number;
}

/**
 * A list of many pages that is read again and again. Pages that did not change cost nothing and are kept. When an entry leaves
 * the list during a pass, later entries move to pages that were read already and would be missed: so a list of several pages is
 * read again until a whole pass finds no change.
 */
export class PagedList<T> {
  readonly #fetch: FetchPage;
  readonly #read: (data: unknown) => readonly T[];
  readonly #keyOf: (item: T) => number | string;
  #pages: Page<T>[] = [];
  #items: readonly T[] | undefined;
  #reading: Promise<Scan<T>> | undefined;

  constructor(fetch: FetchPage, read: (data: unknown) => readonly T[], keyOf: (item: T) => number | string) {
    this.#fetch = fetch;
    this.#read = read;
    this.#keyOf = keyOf;
  }

  /** Reads the whole list. Scans do not overlap: one that is asked for during another starts after it. */
  async scan(): Promise<Scan<T>> {
    const before = this.#reading;
    const mine = (before ?? Promise.resolve()).then(
      () => this.#scan(),
      () => this.#scan(),
    );
    this.#reading = mine;
    return mine;
  }

  async #scan(): Promise<Scan<T>> {
    let changed = this.#items === undefined;
    for (let pass = 0; pass < PASSES; pass += 1) {
      const moved = await this.#pass();
      changed ||= moved;
      if (!moved || this.#pages.length === 1) break;
    }
    if (changed || this.#items === undefined) {
      const unique = new Map(this.#pages.flatMap((page) => page.items).map((item) => [this.#keyOf(item), item]));
      this.#items = [...unique.values()];
    }
    return { items: this.#items, unchanged: !changed };
  }

  /** Reads every page once; answers whether any differed. Keeps nothing unless all pages came. */
  async #pass(): Promise<boolean> {
    const fresh: Page<T>[] = [];
    let moved = false;
    const readPage = async (number: number) => {
      const page = await this.#readPage(number);
      moved ||= page !== this.#pages[number - 1];
      fresh[number - 1] = page;
      return page;
    };
    let known = (await readPage(1)).last;
    for (let next = 2; next <= known; ) {
      const numbers = Array.from({ length: Math.min(PARALLEL, known - next + 1) }, (_, index) => next + index);
      const pages = await Promise.all(numbers.map(readPage));
      known = Math.max(known, ...pages.map((page) => page.last));
      next += numbers.length;
    }
    moved ||= fresh.length !== this.#pages.length;
    this.#pages = fresh;
    return moved;
  }

  async #readPage(number: number): Promise<Page<T>> {
    const kept = this.#pages[number - 1];
    const answer = await this.#fetch(number, kept?.etag);
    if (answer.status === 304 && kept !== undefined) return kept;
    return { etag: answer.etag, items: this.#read(answer.data), last: lastPage(answer.link, number) };
  }
}

/** The last page that a Link header names; `page` itself when there is none after it. @throws codehost_bad_answer */
export function lastPage(link: string | undefined, page: number): number {
  if (link === undefined) return page;
  const targets = new Map<string, number>();
  for (const part of link.split(",")) {
    const match = /<([^<>]*)>\s*;.*\brel="(next|last)"/.exec(part);
    if (match?.[1] === undefined || match[2] === undefined || !URL.canParse(match[1])) continue;
    const number = Number(new URL(match[1]).searchParams.get("page"));
    if (!Number.isSafeInteger(number) || number < 1) throw badAnswer("list", "its next page has no number");
    targets.set(match[2], number);
  }
  const next = targets.get("next");
  if (next === undefined) return page;
  return Math.max(next, targets.get("last") ?? next);
}

/** What a map holds for a key; made and kept where it holds nothing. */
export function remembered<T>(map: Map<string, T>, key: string, make: () => T): T {
  const kept = map.get(key);
  if (kept !== undefined) return kept;
  const made = make();
  map.set(key, made);
  return made;
}

/** Callers share a scan: the signal of one of them ends its own waiting, and the scan goes on. */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
