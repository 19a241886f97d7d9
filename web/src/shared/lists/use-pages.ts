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

/** Reads a list page by page. Each page names the cursor of the next; the first cursor is "". */
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
