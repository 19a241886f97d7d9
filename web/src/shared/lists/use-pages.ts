import { useInfiniteQuery } from "@tanstack/react-query";

/** What was read so far of a list that the hub gives a page at a time. */
export interface Pages<Page> {
  /** Undefined until the first one is here. */
  readonly pages: readonly Page[] | undefined;
  /** Why there is none. */
  readonly problem: unknown;
  readonly again: () => void;
  /** Reads the next page; undefined at the end. */
  readonly more: (() => void) | undefined;
}

/** Reads a list page by page, each from the cursor that the one before named (the first from ""). */
export function usePages<Page extends { readonly next_cursor?: string | undefined }>(
  key: readonly unknown[],
  read: (cursor: string, signal: AbortSignal) => Promise<{ readonly value: Page }>,
): Pages<Page> {
  const { data, error, refetch, fetchNextPage, hasNextPage } = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) => (await read(pageParam, signal)).value,
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
  });
  return {
    pages: data?.pages,
    problem: error !== null && data === undefined ? error : undefined,
    again: () => void refetch(),
    more: hasNextPage ? () => void fetchNextPage() : undefined,
  };
}
