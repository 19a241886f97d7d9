import { useInfiniteQuery } from "@tanstack/react-query";

/** The pages of a list that were read so far. */
export interface Pages<Page> {
  /** Undefined until the first page was read. */
  readonly pages: readonly Page[] | undefined;
  /** Why the first page could not be read. */
  readonly problem: unknown;
  readonly again: () => void;
  /** Reads the next page; undefined at the end. */
  readonly more: (() => void) | undefined;
}

/**
 * Reads a list page by page. Each page names the cursor of the next; the first cursor is "". `againAfterMs`: for lists that no
 * stream reports: when what was read so far is read again, undefined for not at all. Such a list is read anew when it is opened.
 */
export function usePages<Page extends { readonly next_cursor?: string | undefined }>(
  key: readonly unknown[],
  read: (cursor: string, signal: AbortSignal) => Promise<{ readonly value: Page }>,
  againAfterMs?: (pages: readonly Page[]) => number | undefined,
): Pages<Page> {
  const { data, error, refetch, fetchNextPage, hasNextPage } = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) => (await read(pageParam, signal)).value,
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    staleTime: againAfterMs === undefined ? Number.POSITIVE_INFINITY : 0,
    refetchInterval: (query) => againAfterMs?.(query.state.data?.pages ?? []) ?? false,
  });
  return {
    pages: data?.pages,
    problem: error !== null && data === undefined ? error : undefined,
    again: () => void refetch(),
    more: hasNextPage ? () => void fetchNextPage() : undefined,
  };
}
