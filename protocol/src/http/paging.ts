import { z } from "zod";

/** Where a page begins, as the page before it said in `next_cursor`. */
export const Cursor = z.string().regex(/^\d{0,15}$/, "not a cursor that this list gave out");

const Limit = z.coerce.number().int().min(1).max(500);

/** Paging of a list: `next_cursor` is absent on the last page. */
export const Paging = z.strictObject({ limit: Limit.default(100), cursor: Cursor.optional() });

/** Paging of a list that is usually read whole: without a limit it is sent as one page. */
export const OptionalPaging = z.strictObject({ limit: Limit.optional(), cursor: Cursor.optional() });
export type OptionalPaging = z.infer<typeof OptionalPaging>;
