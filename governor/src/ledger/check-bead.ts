import { plainLine, plainText } from "@nest/kit";
import type { BeadChange, BeadDraft } from "@nest/protocol";
import type { z } from "zod";
import { invalidBead } from "./ledger-errors.ts";

/** The value as the schema reads it. @throws NestError `bead_invalid`, naming the field. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  if (issue?.code === "unrecognized_keys") throw invalidBead(`a bead has no ${issue.keys.join(", ")}`);
  throw invalidBead(`${issue?.path.map(String).join(".") ?? "bead"}: ${issue?.message ?? "not valid"}`);
}

const LINES = ["title", "actor", "external_ref"] as const;

/** Texts as they may stand before people and agents: no control characters, and only notes have several lines. */
export function cleaned<Draft extends BeadDraft | BeadChange>(draft: Draft): Draft {
  const clean = { ...draft };
  for (const name of LINES) if (typeof clean[name] === "string") clean[name] = plainLine(clean[name]);
  if (typeof clean.notes === "string") clean.notes = plainText(clean.notes);
  return clean;
}
