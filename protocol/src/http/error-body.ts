import { z } from "zod";

/** The body of every failed request: a sentence, a stable code (docs/errors.md) and a hint; never a stack, never a secret. */
export const ErrorBody = z.object({ error: z.string(), code: z.string(), hint: z.string().optional() });
export type ErrorBody = z.infer<typeof ErrorBody>;
