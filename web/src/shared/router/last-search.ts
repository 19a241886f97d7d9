import { parseSearch, stringifySearch } from "./search-text.ts";

// What a list page was narrowed to last, in this tab: the way back to it leads to what was found.

const keyOf = (page: string) => `nest-search:${page}`;

/** Remembers what a page's list is narrowed to. */
export function rememberSearch(page: string, search: Readonly<Record<string, unknown>>): void {
  try {
    sessionStorage.setItem(keyOf(page), stringifySearch(search));
  } catch {
    // A browser that keeps nothing leads back to the whole list.
  }
}

/** What a page's list was narrowed to last; nothing where it was not opened in this tab. */
export function lastSearch(page: string): Record<string, string> {
  try {
    return parseSearch(sessionStorage.getItem(keyOf(page)) ?? "");
  } catch {
    return {};
  }
}
