import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PatternJudge } from "@nest/dispatch";
import { areAddresses } from "@nest/http";
import {
  checkConfig,
  type Environment,
  isAbsent,
  isHostPattern,
  makeDataFolder,
  makePrivateFolder,
  parseYaml,
  Secret,
  systemRandom,
  UsageError,
  variable,
  writeFileAtomic,
} from "@nest/kit";
import { governor } from "@nest/protocol";
import { z } from "zod";
import { buildAll, compiledOf } from "./queue-settings/rules.ts";
import { changed } from "./queue-settings/settings.ts";

/** The keys of `nest.yaml` that a hub reads; keys that only a spoke reads are tolerated. */
const HubFile = z.looseObject({
  project: z.looseObject({
    org: z
      .string()
      .min(1)
      .regex(/^[A-Za-z0-9._-]{1,100}$/, "not a name of the code host"),
    repos: z
      .array(z.string().regex(/^(?:[A-Za-z0-9._-]{1,100}\/)?[A-Za-z0-9._-]{1,100}$/, "not owner/name"))
      .default([]),
    primary_repo: z.string().optional(),
  }),
  github: z
    .looseObject({
      token: z.string().min(1).optional(),
      app_id: z.union([z.number().int(), z.string().min(1)]).optional(),
      installation_id: z.coerce.number().int().optional(),
      key_file: z.string().optional(),
      webhook_secret: z.string().min(8, "must be at least 8 characters").optional(),
      oauth_client_id: z.string().min(1).optional(),
    })
    .default({}),
  governor: z
    .looseObject({
      eval_interval_s: z.number().int().min(1).default(300),
      /** Initial values of the queue settings (spec: Queue configuration). */
      contribute: governor.GovernorChange.prefault({}),
    })
    .prefault({}),
});

export interface HubConfig {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** Peers whose `X-Forwarded-…` headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Whether the operator named them; by default every peer on this machine is trusted. */
  readonly trustedProxiesAreNamed: boolean;
  /** The address that people and relays use, without a trailing slash; undefined: the address of each request. */
  readonly publicUrl: string | undefined;
  /** Further host names that the hub accepts. */
  readonly hosts: readonly string[];
  /** The database that several hubs share; undefined: SQLite in the data directory. */
  readonly databaseUrl: Secret | undefined;
  readonly adminToken: Secret | undefined;
  readonly admins: readonly string[];
  readonly hubSecret: Secret;
  /** Whether the secret was configured rather than generated at the first start. */
  readonly hubSecretIsGiven: boolean;
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly clockScale: number;
  /** `owner/name` of each monitored repository. */
  readonly repos: readonly string[];
  readonly codeHost: CodeHostCredentials;
  readonly evalIntervalMs: number;
  /** The queue settings until an admin changes them. */
  readonly contribute: governor.GovernorSettings;
  /** The secret with which the code host signs webhooks; without one, webhooks are refused. */
  readonly webhookSecret: Secret | undefined;
  /** Sign-in with the code host; the client secret is needed only for sign-in by browser redirect. */
  readonly oauth: { readonly clientId: string; readonly clientSecret: Secret | undefined } | undefined;
  /** Whether the cookie `nest_hub_user` alone authenticates. */
  readonly plainUserCookie: boolean;
  /** Where kubeconfigs of clusters are mounted. */
  readonly kubeconfigFolder: string;
  /** The image of hosted nests, where their cluster names none. */
  readonly spokeImage: string;
  /** Hosted nests that are worked on at once on each cluster. */
  readonly nestsAtOnce: number;
  /** The file in which backup runs leave their metrics, where it is on this machine. */
  readonly backupMetricsFile: string | undefined;
  /** The variables that secrets of alert channels may be taken from: those whose names begin with NEST_ALERT_, and no others. */
  readonly alertVariables: Environment;
}

type CodeHostCredentials =
  | { readonly kind: "token"; readonly token: Secret }
  | {
      readonly kind: "app";
      readonly appId: number | string;
      readonly privateKey: Secret;
      readonly installationId: number;
    };

const PORT = "must be a port, 0 to 65535";
const AT_ONCE = "must be a number from 1 to 100";
const IMAGE_PREFIX = /^[a-z0-9][a-z0-9._:/-]{0,200}$/;
const IMAGE = /^[a-z0-9][A-Za-z0-9._:/@-]{0,400}$/;
const SCALE = "must be a number from 1 to 1000000";

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** The environment variables that the hub reads. */
const HubEnvironment = z.object({
  NEST_DATA_DIR: z.string().default("/data"),
  NEST_CONFIG: z.string().default("/etc/nest/nest.yaml"),
  NEST_HUB_HOST: z.string().default("127.0.0.1"),
  NEST_HUB_PORT: z.coerce.number<string>(PORT).int(PORT).min(0, PORT).max(65_535, PORT).default(8080),
  NEST_HUB_ADMIN_TOKEN: z.string().min(32, "must be at least 32 characters").optional(),
  NEST_HUB_ADMINS: z.string().default(""),
  NEST_HUB_SECRET: z.string().min(16, "must be at least 16 characters").optional(),
  NEST_HUB_TRUSTED_PROXIES: z
    .string()
    .transform(listOf)
    .optional()
    .refine((listed = []) => areAddresses(listed), {
      error: "must be addresses or ranges such as 10.0.0.0/8, comma-separated",
    }),
  NEST_HUB_PUBLIC_URL: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
  NEST_HUB_HOSTS: z
    .string()
    .default("")
    .transform(listOf)
    .refine((names) => names.every(isHostPattern), {
      error: "must be host names such as nest-hub or *.example.org, comma-separated",
    }),
  NEST_DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: "must be an address such as postgres://user:password@host/database" })
    .optional(),
  NEST_GITHUB_API_URL: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .default("https://api.github.com"),
  NEST_GITHUB_URL: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
  NEST_GITHUB_WEBHOOK_SECRET: z.string().min(8, "must be at least 8 characters").optional(),
  NEST_HUB_OAUTH_CLIENT_ID: z.string().optional(),
  NEST_HUB_OAUTH_CLIENT_SECRET: z.string().optional(),
  NEST_HUB_PLAIN_USER_COOKIE: z.enum(["true", "false"], "must be true or false").default("false"),
  NEST_KUBECONFIG_DIR: z.string().default("/etc/nest/kubeconfigs"),
  NEST_IMAGE_PREFIX: z.string().regex(IMAGE_PREFIX, "must be the beginning of an image's name").default("localhost"),
  NEST_SPOKE_IMAGE: z.string().regex(IMAGE, "must be the name of an image").optional(),
  NEST_HUB_NESTS_AT_ONCE: z.coerce.number<string>(AT_ONCE).int(AT_ONCE).min(1, AT_ONCE).max(100, AT_ONCE).default(2),
  NEST_BACKUP_METRICS_FILE: z.string().optional(),
  NEST_TEST_CLOCK_SCALE: z.coerce.number<string>(SCALE).min(1, SCALE).max(1_000_000, SCALE).default(1),
});

/**
 * The hub's configuration from its environment and `nest.yaml`.
 *
 * @throws UsageError with one line per fault.
 */
export async function readHubConfig(environment: Environment): Promise<HubConfig> {
  const names = Object.keys(HubEnvironment.shape);
  const values = checkConfig(
    HubEnvironment,
    Object.fromEntries(names.map((name) => [name, variable(environment, name)])),
  );
  const loopback = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/.test(values.NEST_HUB_HOST);
  if (values.NEST_TEST_CLOCK_SCALE !== 1 && !loopback) {
    throw new UsageError("NEST_TEST_CLOCK_SCALE: is for tests and refused unless NEST_HUB_HOST is a loopback address");
  }
  const file = await readHubFile(values.NEST_CONFIG);
  await makeDataFolder(values.NEST_DATA_DIR, "NEST_DATA_DIR");
  const { project, github, governor: rules } = file;
  const webhookSecret =
    values.NEST_GITHUB_WEBHOOK_SECRET ?? expanded("github.webhook_secret", github.webhook_secret, environment);
  const clientId = values.NEST_HUB_OAUTH_CLIENT_ID ?? github.oauth_client_id;
  const apiUrl = values.NEST_GITHUB_API_URL.replace(/\/+$/, "");
  return {
    dataDir: values.NEST_DATA_DIR,
    host: values.NEST_HUB_HOST,
    port: values.NEST_HUB_PORT,
    trustedProxies: values.NEST_HUB_TRUSTED_PROXIES ?? ["loopback"],
    trustedProxiesAreNamed: values.NEST_HUB_TRUSTED_PROXIES !== undefined,
    publicUrl: values.NEST_HUB_PUBLIC_URL?.replace(/\/+$/, ""),
    hosts: values.NEST_HUB_HOSTS,
    databaseUrl: secretOf(values.NEST_DATABASE_URL),
    adminToken: secretOf(values.NEST_HUB_ADMIN_TOKEN),
    admins: values.NEST_HUB_ADMINS.split(",")
      .map((login) => login.trim())
      .filter((login) => login !== ""),
    hubSecretIsGiven: values.NEST_HUB_SECRET !== undefined,
    hubSecret: new Secret(values.NEST_HUB_SECRET ?? (await hubSecretFile(values.NEST_DATA_DIR))),
    apiUrl,
    webUrl: (values.NEST_GITHUB_URL ?? webUrlOf(apiUrl)).replace(/\/+$/, ""),
    clockScale: values.NEST_TEST_CLOCK_SCALE,
    repos: project.repos.map((repo) => (repo.includes("/") ? repo : `${project.org}/${repo}`)),
    codeHost: await codeHostCredentials(github, environment),
    evalIntervalMs: Math.max(250, (rules.eval_interval_s * 1000) / values.NEST_TEST_CLOCK_SCALE),
    contribute: changed(governor.defaultSettings, rules.contribute),
    webhookSecret: webhookSecret === undefined ? undefined : new Secret(webhookSecret),
    oauth:
      clientId === undefined ? undefined : { clientId, clientSecret: secretOf(values.NEST_HUB_OAUTH_CLIENT_SECRET) },
    plainUserCookie: values.NEST_HUB_PLAIN_USER_COOKIE === "true",
    kubeconfigFolder: values.NEST_KUBECONFIG_DIR,
    spokeImage: values.NEST_SPOKE_IMAGE ?? `${values.NEST_IMAGE_PREFIX.replace(/\/+$/, "")}/nest-spoke:latest`,
    nestsAtOnce: values.NEST_HUB_NESTS_AT_ONCE,
    backupMetricsFile: values.NEST_BACKUP_METRICS_FILE,
    alertVariables: Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith("NEST_ALERT_"))),
  };
}

async function readHubFile(path: string): Promise<z.infer<typeof HubFile>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (thrown) {
    if (!isAbsent(thrown))
      throw new UsageError(`NEST_CONFIG: ${path} cannot be read (${(thrown as NodeJS.ErrnoException).code})`);
    throw new UsageError(`NEST_CONFIG: ${path} does not exist`, {
      hint: "set NEST_CONFIG to the hub's nest.yaml; docs/operations.md has an example",
    });
  }
  const file = checkConfig(HubFile, parseYaml(text, path));
  if (file.github.token === undefined && file.github.app_id === undefined) {
    throw new UsageError("github.token or github.app_id is required");
  }
  await using judge = new PatternJudge();
  try {
    const settings = changed(governor.defaultSettings, file.governor.contribute);
    await buildAll(settings, judge);
    compiledOf(settings, judge);
  } catch (thrown) {
    throw new UsageError(`governor.contribute.${(thrown as Error).message}`);
  }
  return file;
}

async function codeHostCredentials(
  github: z.infer<typeof HubFile>["github"],
  environment: Environment,
): Promise<CodeHostCredentials> {
  if (github.app_id === undefined)
    return { kind: "token", token: new Secret(expanded("github.token", github.token, environment) ?? "") };
  if (github.installation_id === undefined)
    throw new UsageError("github.installation_id: is required with github.app_id");
  if (github.key_file === undefined) throw new UsageError("github.key_file: is required with github.app_id");
  try {
    const privateKey = new Secret(await readFile(github.key_file, "utf8"));
    return { kind: "app", appId: github.app_id, privateKey, installationId: github.installation_id };
  } catch (thrown) {
    throw new UsageError(
      `github.key_file: ${github.key_file} cannot be read (${(thrown as NodeJS.ErrnoException).code})`,
    );
  }
}

/** Replaces `${NAME}` by that environment variable, so that a secret need not be in the file. */
function expanded(key: string, written: string | undefined, environment: Environment): string | undefined {
  const name = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(written ?? "")?.[1];
  if (name === undefined) return written;
  const value = environment[name];
  if (value === undefined || value === "") throw new UsageError(`${key}: names the variable ${name}, which is not set`);
  return value;
}

function secretOf(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text);
}

/** The web address for an API address: the public code host's, an Enterprise server's, or the same address (a test host). */
function webUrlOf(apiUrl: string): string {
  if (apiUrl === "https://api.github.com") return "https://github.com";
  return apiUrl.replace(/\/api\/v3$/, "");
}

/** The heartbeat secret, generated at the first start and readable by its owner alone. */
async function hubSecretFile(dataDir: string): Promise<string> {
  const folder = join(dataDir, "saas");
  const path = join(folder, "hub-secret.key");
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
  }
  const secret = systemRandom().hex(32);
  await makePrivateFolder(folder);
  await writeFileAtomic(path, `${secret}\n`);
  return secret;
}
