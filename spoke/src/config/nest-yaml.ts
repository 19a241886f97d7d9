import { areAddresses } from "@nest/http";
import { checkConfig, parseYaml, UsageError } from "@nest/kit";
import { z } from "zod";
import { AgentName, agentSchema, budgetSchema, Mode } from "./agent-schema.ts";
import { notificationsSchema } from "./notification-schema.ts";
import { mergeOverlay } from "./overlay.ts";
import {
  entriesByName,
  flag,
  hostName,
  maybeText,
  type ObjectMaker,
  oneOf,
  secret,
  section,
  text,
  texts,
  webAddress,
} from "./schema.ts";
import { userEntry } from "./user-entry.ts";

function projectSchema(object: ObjectMaker) {
  return object({
    org: maybeText,
    repos: z.preprocess((value) => value ?? [], z.array(text.min(1)).max(500)),
    primary_repo: maybeText,
  });
}

function governorSchema(object: ObjectMaker) {
  return object({
    eval_interval_s: z.number().int().positive().max(86_400).nullish(),
    modes: entriesByName(z.string().min(1).max(50), Mode),
    budget: budgetSchema(object),
    labels: section(object({ hold: texts, exempt: texts, hold_pull_requests: maybeText })),
    deny_authors: texts,
    deny_titles: texts,
    recordings: section(
      object({
        days: z.number().int().min(0).max(365).nullish(),
        megabytes: z.number().int().min(0).max(100_000).nullish(),
      }),
    ),
    backup: section(object({ key_file: maybeText, key_env: maybeText, key_name: maybeText })),
    // The hub's part of the schema, which both read; a spoke goes by none of it.
    contribute: z.unknown().optional(),
  });
}

/** The number of an app or an installation, or a word in its place while the app does not exist yet. */
const appNumber = z.union([z.string().max(100), z.number().int().min(0)], "must be a number").nullish();

function githubSchema(object: ObjectMaker) {
  return object({
    token: secret,
    app_id: appNumber,
    installation_id: appNumber,
    key_file: maybeText,
    oauth_client_id: maybeText,
  });
}

function dashboardSchema(object: ObjectMaker) {
  return object({
    port: z.number().int().min(0).max(65_535).nullish(),
    authorized_users: z.array(userEntry).max(500).nullish(),
    /** The address that people use, and further names under which the nest may be asked. */
    public_url: webAddress.nullish(),
    hosts: z
      .array(hostName)
      .nullish()
      .transform((hosts) => hosts ?? []),
    trusted_proxies: z
      .array(text.refine((proxy) => areAddresses([proxy]), "must be an address or a range such as 10.0.0.0/8"))
      .nullish()
      .transform((proxies) => proxies ?? []),
    hub_proxied: flag(false),
    /**
     * Whether everybody on this machine reads without signing in, where the nest listens on loopback alone and no proxy is in front.
     * Unless said otherwise: where nobody could sign in.
     */
    open_on_this_machine: z.boolean().nullish(),
  });
}

function hubSchema(object: ObjectMaker) {
  return object({
    enabled: flag(true),
    url: maybeText,
    dashboard_url: maybeText,
    is_public: flag(false),
    nest_type: maybeText,
    /** What `nest_type` was called before. */
    hive_type: maybeText,
    liveness: oneOf(["success", "attempts"]).transform((judged) => judged ?? "success"),
  }).transform(({ hive_type, ...hub }) => ({ ...hub, nest_type: hub.nest_type ?? hive_type }));
}

function nestYaml(object: ObjectMaker) {
  return object({
    project: section(projectSchema(object)),
    agents: entriesByName(AgentName, agentSchema(object)),
    governor: section(governorSchema(object)),
    github: section(githubSchema(object)),
    dashboard: section(dashboardSchema(object)),
    hub: section(hubSchema(object)),
    notifications: section(notificationsSchema(object)),
    acmm_level: z
      .number()
      .int()
      .min(0)
      .max(6)
      .nullish()
      .transform((level) => level ?? 2),
  });
}

/** `nest.yaml` (spec: Spoke configuration file). Unknown keys are tolerated: later releases and other programs read them. */
export const NestYaml = nestYaml(z.looseObject);
export type NestYaml = z.infer<typeof NestYaml>;

/** The spec's sentence for a nest that could never reach the code host. */
const TOKEN_OR_APP = "github.token or github.app_id is required";

// One description for both readings; only what happens to keys that it does not name differs.
const Strict = nestYaml(z.strictObject as unknown as ObjectMaker);

/**
 * Reads the text of a `nest.yaml`, with what the dashboard saved laid over it.
 *
 * @throws UsageError with one line per fault; a spoke that could never reach the code host refuses to boot.
 */
export function readNestYaml(source: string, name: string, overlay: unknown = {}): NestYaml {
  return checkNestYaml(mergeOverlay(parseYaml(source, name), overlay));
}

/** Checks a whole configuration. @throws UsageError with one line per fault. */
export function checkNestYaml(value: unknown): NestYaml {
  const config = checkConfig(NestYaml, value);
  if (config.github.token === undefined && `${config.github.app_id ?? ""}` === "") throw new UsageError(TOKEN_OR_APP);
  return config;
}

/** The paths of keys that this release does not know, of a whole configuration or of a part. */
export function unknownKeys(value: unknown): readonly (readonly string[])[] {
  const checked = Strict.safeParse(value);
  if (checked.success) return [];
  return checked.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path.map(String), key]) : [],
  );
}
