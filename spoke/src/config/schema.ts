import { isHostPattern } from "@nest/kit";
import { z } from "zod";
import { isTree, REMOVED } from "./leaves.ts";
import { isSecretText } from "./secret-value.ts";

/** Makes a schema for an object: one that tolerates unknown keys, or one that names them. */
export type ObjectMaker = typeof z.looseObject;

/** A key that is present but empty in YAML reads as null; for us that is the same as absent. */
export function section<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => value ?? {}, schema);
}

/**
 * Entries by name. `false` in place of an entry takes away one that a layer below has: an overlay removes so what the seed names.
 */
export function entriesByName<Name extends z.ZodType<string, string>, Entry extends z.ZodType>(
  name: Name,
  entry: Entry,
) {
  return z.preprocess(withoutRemoved, z.record(name, entry));
}

function withoutRemoved(value: unknown): unknown {
  if (!isTree(value)) return value ?? {};
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== REMOVED));
}

export const text = z.string().max(500);

export const maybeText = text.nullish().transform((value) => (value === null || value === "" ? undefined : value));

/** A secret: the text itself, or `${NAME}` for that variable of the environment. */
export const secret = z
  .string()
  .max(10_000)
  .refine(isSecretText, "must be the secret itself, or the name of a variable in its place and nothing around it")
  .nullish()
  .transform((value) => (value === null || value === "" ? undefined : value));

export const flag = (byDefault: boolean) =>
  z
    .boolean()
    .nullish()
    .transform((on) => on ?? byDefault);

export const texts = z
  .array(text.min(1))
  .max(200)
  .nullish()
  .transform((list) => list ?? []);

export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) => z.enum(words).nullish();

export const webAddress = z.url({ protocol: /^https?$/, error: "must be an http or https address" });

export const hostName = text.refine(isHostPattern, "must be a host name such as nest-1 or *.example.org");
