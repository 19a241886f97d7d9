import { readCadence } from "@nest/governor";
import { checkConfig, isHostPattern, parseYaml, UsageError } from "@nest/kit";
import { autonomies } from "@nest/protocol";
import { z } from "zod";
import { mergeOverlay } from "./overlay.ts";

/** A key that is present but empty in YAML reads as null; for us that is the same as absent. */
function section<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => value ?? {}, schema);
}
const text = z.string().max(500);
const maybeText = text.nullish().transform((value) => (value === null || value === "" ? undefined : value));

const flag = (byDefault: boolean) =>
  z
    .boolean()
    .nullish()
    .transform((on) => on ?? byDefault);
const texts = z
  .array(text.min(1))
  .max(200)
  .nullish()
  .transform((list) => list ?? []);
const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) => z.enum(words).nullish();

const Budget = section(
  z.looseObject({
    runs_per_day: z.number().int().min(0).nullish(),
    minutes_per_day: z.number().min(0).nullish(),
    tokens_per_day: z.number().int().min(0).nullish(),
    cost_usd_per_day: z.number().min(0).nullish(),
  }),
);

/** An agent's name is a folder, a multiplexer session and part of an address. */
const AgentName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/, "an agent's name has letters, digits, - and _, at most 50");

const Agent = section(
  z.looseObject({
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
    budget: Budget,
  }),
);

/** A mode (`governor.modes.<mode>`): its threshold, and by agent an interval such as `4h`, or `pause`. */
const Mode = z
  .object({ threshold: z.number().int().min(0).max(100_000) })
  .catchall(
    z.string().refine((cadence) => readCadence(cadence) !== undefined, "must be a time such as 4h or 30m, or pause"),
  );

/** `nest.yaml` (spec: Spoke configuration file). Unknown keys are tolerated: later releases and other programs read them. */
export const NestYaml = z.looseObject({
  project: section(
    z.looseObject({
      org: maybeText,
      repos: z.preprocess((value) => value ?? [], z.array(text.min(1)).max(500)),
      primary_repo: maybeText,
    }),
  ),
  agents: section(z.record(AgentName, Agent)),
  governor: section(
    z.looseObject({
      eval_interval_s: z.number().int().positive().max(86_400).nullish(),
      modes: section(z.record(z.string().min(1).max(50), Mode)),
      budget: Budget,
      labels: section(z.looseObject({ hold: texts, exempt: texts, hold_pull_requests: maybeText })),
      deny_authors: texts,
      deny_titles: texts,
      recordings: section(
        z.looseObject({
          days: z.number().int().min(0).max(365).nullish(),
          megabytes: z.number().int().min(0).max(100_000).nullish(),
        }),
      ),
      backup: section(z.looseObject({ key_file: maybeText, key_env: maybeText, key_name: maybeText })),
    }),
  ),
  github: section(
    z.looseObject({
      token: maybeText,
      app_id: z.union([z.string(), z.number()]).nullish(),
      installation_id: z.union([z.string(), z.number()]).nullish(),
      key_file: maybeText,
      oauth_client_id: maybeText,
    }),
  ),
  dashboard: section(
    z.looseObject({
      port: z.number().int().min(0).max(65_535).nullish(),
      authorized_users: z.array(text).nullish(),
      /** The address that people use, and further names under which the nest may be asked. */
      public_url: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).nullish(),
      hosts: z
        .array(text.refine(isHostPattern, "must be a host name such as nest-1 or *.example.org"))
        .nullish()
        .transform((hosts) => hosts ?? []),
      trusted_proxies: z
        .array(text)
        .nullish()
        .transform((proxies) => proxies ?? []),
      hub_proxied: z
        .boolean()
        .nullish()
        .transform((on) => on ?? false),
    }),
  ),
  hub: section(
    z.looseObject({
      enabled: z
        .boolean()
        .nullish()
        .transform((on) => on ?? true),
      url: maybeText,
      dashboard_url: maybeText,
      is_public: z
        .boolean()
        .nullish()
        .transform((on) => on ?? false),
      nest_type: maybeText,
      liveness: z
        .enum(["success", "attempts"])
        .nullish()
        .transform((judged) => judged ?? "success"),
    }),
  ),
  acmm_level: z
    .number()
    .int()
    .min(0)
    .max(6)
    .nullish()
    .transform((level) => level ?? 2),
});
export type NestYaml = z.infer<typeof NestYaml>;

/**
 * Reads the text of a `nest.yaml`, with what the dashboard saved laid over it.
 *
 * @throws UsageError with one line per fault; a spoke that could never reach the code host refuses to boot.
 */
export function readNestYaml(source: string, name: string, overlay: unknown = {}): NestYaml {
  const config = checkConfig(NestYaml, mergeOverlay(parseYaml(source, name), overlay));
  const appId = config.github.app_id ?? "";
  if (config.github.token === undefined && appId === "")
    throw new UsageError("github.token or github.app_id is required");
  return config;
}
