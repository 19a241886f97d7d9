import { z } from "zod";

/** What every failed request answers (contract §3); never a stack, never a secret. */
export const ErrorBody = z.object({ error: z.string(), code: z.string(), hint: z.string().optional() });
export type ErrorBody = z.infer<typeof ErrorBody>;
