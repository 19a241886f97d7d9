import { z } from "zod";

const text = z.string().max(200).optional().catch(undefined);
const day = z.iso.date().optional().catch(undefined);

/** The filters of the page that finds issues. `stands`: `offer`, or the reason why an issue is withheld. */
export const FindSearch = z.object({
  q: text,
  repo: text,
  label: text,
  author: text,
  stands: text,
  since: day,
  until: day,
});
export type FindSearch = z.infer<typeof FindSearch>;
