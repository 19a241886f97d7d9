import type { AppPage } from "./app-page.ts";

/** Something that the command palette leads to. */
export interface Finding {
  readonly name: string;
  /** Path with query. */
  readonly address: string;
  /** The server renders this page, so going there loads a new document. */
  readonly isServerMade?: boolean;
  /** The keys that lead there too. */
  readonly keys?: readonly string[];
}

/** The pages whose names have each of the words in them; all of them where there are no words. */
export function pagesFound(pages: readonly AppPage[], words: string): Finding[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return pages
    .filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)))
    .map(({ address, name, key, isServerMade = false }) => ({
      name,
      address,
      isServerMade,
      ...(key === undefined ? {} : { keys: ["g", key] }),
    }));
}
