import { useMatches, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import type { z } from "zod";
import { rememberSearch } from "./last-search.ts";

/** Describes a page's query parameters: each name with its allowed values. */
export type SearchSchema = z.ZodObject<Record<string, z.ZodType<string | undefined>>>;

/**
 * The filters in the address's query, and a function that changes them. A change replaces the history entry, so that Back leaves
 * the page instead of undoing a search letter by letter. The way back to the page keeps them.
 */
export function useSearchState<Schema extends SearchSchema>(
  schema: Schema,
): readonly [z.infer<Schema>, (change: Partial<z.infer<Schema>>) => void] {
  const said = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const page = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? "" });
  useEffect(() => rememberSearch(page, said), [page, said]);
  const navigate = useNavigate();
  const change = useCallback(
    (part: Partial<z.infer<Schema>>) => {
      const search = (before: object) => ({ ...before, ...part });
      void navigate({ to: ".", search: search as never, replace: true, resetScroll: false });
    },
    [navigate],
  );
  return [schema.parse(said), change];
}
