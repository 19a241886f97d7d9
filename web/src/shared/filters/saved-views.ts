/** A choice of filters under a name, as one person keeps it in one browser. */
export interface SavedView {
  readonly name: string;
  readonly search: Readonly<Record<string, string>>;
}

/** More views than anybody can tell apart. */
const MOST_VIEWS = 30;
const LONGEST_NAME = 60;

/** The part of a browser's storage that is needed; it throws where a browser lets a page keep nothing. */
export type Kept = Pick<Storage, "getItem" | "setItem">;

/** The views of a page that were saved in this browser, by name. What is stored and is none is left out. */
export function viewsIn(kept: Kept, page: string): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(kept.getItem(keyOf(page)) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isView) : [];
  } catch {
    return [];
  }
}

/** The same with one more, or another choice under a name that there is already. */
export function withView(views: readonly SavedView[], { name, search }: SavedView): readonly SavedView[] {
  const named = { name: name.trim().slice(0, LONGEST_NAME), search };
  const others = views.filter((one) => one.name !== named.name);
  return [...others, named].sort((one, other) => one.name.localeCompare(other.name)).slice(0, MOST_VIEWS);
}

/** Stores the views of a page. Returns whether the browser kept them. */
export function keepViews(kept: Kept, page: string, views: readonly SavedView[]): boolean {
  try {
    kept.setItem(keyOf(page), JSON.stringify(views));
    return true;
  } catch {
    return false;
  }
}

function keyOf(page: string): string {
  return `nest-views:${page}`;
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== "object" || value === null) return false;
  const { name, search } = value as Partial<Record<keyof SavedView, unknown>>;
  if (typeof name !== "string" || name === "" || typeof search !== "object" || search === null) return false;
  return Object.values(search).every((one) => typeof one === "string");
}
