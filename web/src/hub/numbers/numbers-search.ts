import { z } from "zod";

const text = z.string().max(200).optional().catch(undefined);

/** The window and the filters of the page of numbers. */
export const NumbersSearch = z.object({
  window: z.enum(["24h", "7d", "30d", "90d"]).optional().catch(undefined),
  repo: text,
  contributor: text,
  backend: text,
});
