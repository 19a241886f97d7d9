import { readCadence } from "@nest/governor";
import { autonomies } from "@nest/protocol";
import { z } from "zod";
import { flag, maybeText, type ObjectMaker, oneOf, section, texts } from "./schema.ts";

/** What may be used up in a day: of one agent, or of all. */
export function budgetSchema(object: ObjectMaker) {
  return section(
    object({
      runs_per_day: z.number().int().min(0).nullish(),
      minutes_per_day: z.number().min(0).nullish(),
      tokens_per_day: z.number().int().min(0).nullish(),
      cost_usd_per_day: z.number().min(0).nullish(),
    }),
  );
}

/** An agent's name is a folder, a multiplexer session and part of an address. */
export const AgentName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/, "an agent's name has letters, digits, - and _, at most 50");

/** `agents.<name>`. */
export function agentSchema(object: ObjectMaker) {
  return section(
    object({
      backend: maybeText,
      model: maybeText,
      enabled: flag(true),
      reasoning_effort: maybeText,
      /** `interactive`: started as a person would, the prompt typed. `headless`: started for one prompt. */
      style: oneOf(["interactive", "headless"]),
      /** `issue`: one issue a run. `overview`: the whole queue and ledger. */
      focus: oneOf(["issue", "overview"]),
      instructions: z.string().max(8000).nullish(),
      repos: texts,
      labels: texts,
      /** The most it may do, where that is less than the ACMM level gives. */
      may: oneOf(autonomies),
      max_minutes: z.number().int().min(1).max(600).nullish(),
      budget: budgetSchema(object),
    }),
  );
}

/** A mode (`governor.modes.<mode>`): its threshold, and by agent an interval such as `4h`, or `pause`. */
export const Mode = z
  .object({ threshold: z.number().int().min(0).max(100_000) })
  .catchall(
    z.string().refine((cadence) => readCadence(cadence) !== undefined, "must be a time such as 4h or 30m, or pause"),
  );
