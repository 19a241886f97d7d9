import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { z } from "zod";

/** What a page shows, kept in the query of its address: each name with the values it may have. */
export type SearchSchema = z.ZodObject<Record<string, z.ZodType<string | undefined>>>;

/**
 * What the address says that is shown, and how to say something else there: without a step in the history, so that Back leaves
 * the page and does not take back letter by letter what was typed.
 */
export function useSearchState<Schema extends SearchSchema>(
  schema: Schema,
): readonly [z.infer<Schema>, (change: Partial<z.infer<Schema>>) => void] {
  const said = useSearch({ strict: false }) as unknown;
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
