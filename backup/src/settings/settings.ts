import { join } from "node:path";
import { type ArchiveKey, parseKey } from "@nest/archive";
import { type Environment, NestError, readTextIfPresent, UsageError, variable } from "@nest/kit";

const DEFAULT_RETENTION = 30;
const DEFAULT_SPOKE_TIMEOUT_S = 45;

export interface Settings {
  readonly dataDir: string;
  readonly namespace: string;
  readonly kubeconfigDir: string;
  readonly retention: number;
  readonly lockDays: number | undefined;
  readonly spokeTimeoutMs: number;
  readonly databaseUrl: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly isInPod: boolean;
  readonly metricsFile: string | undefined;
}

/**
 * Reads the environment.
 *
 * @throws UsageError naming the variable, before anything is written: a retention of 0 must never be taken for "keep
 * nothing".
 */
export function readSettings(environment: Environment): Settings {
  return {
    dataDir: variable(environment, "NEST_BACKUP_DATA_DIR") ?? variable(environment, "NEST_DATA_DIR") ?? "/data",
    namespace: variable(environment, "NEST_HUB_NAMESPACE") ?? "nest-hub",
    kubeconfigDir: variable(environment, "NEST_KUBECONFIG_DIR") ?? "/etc/nest/kubeconfigs",
    retention: positive(environment, "NEST_BACKUP_RETENTION") ?? DEFAULT_RETENTION,
    lockDays: positive(environment, "NEST_BACKUP_LOCK_DAYS"),
    spokeTimeoutMs: (positive(environment, "NEST_BACKUP_SPOKE_TIMEOUT_S") ?? DEFAULT_SPOKE_TIMEOUT_S) * 1000,
    databaseUrl: databaseUrl(environment),
    kubeconfig: variable(environment, "KUBECONFIG"),
    isInPod: variable(environment, "KUBERNETES_SERVICE_HOST") !== undefined,
    metricsFile: variable(environment, "NEST_BACKUP_METRICS_FILE"),
  };
}

/**
 * Reads the key from `NEST_BACKUP_KEY` only: a stray file must not take precedence over the key in escrow.
 *
 * @throws NestError `backup_key_missing` or `backup_key_malformed`.
 */
export function keyFrom(environment: Environment): ArchiveKey {
  const text = variable(environment, "NEST_BACKUP_KEY");
  if (text === undefined || text.trim() === "") {
    throw new NestError("backup_key_missing", "NEST_BACKUP_KEY is not set; there is no backup without a key", {
      hint: "make a key with nest-backup keygen and keep a copy of it elsewhere",
    });
  }
  return parseKey(text, "NEST_BACKUP_KEY");
}

/** The key if one is set: commands that need none check more with it. @throws NestError `backup_key_malformed` */
export function keyIfGiven(environment: Environment): ArchiveKey | undefined {
  const text = variable(environment, "NEST_BACKUP_KEY");
  return text === undefined || text.trim() === "" ? undefined : keyFrom(environment);
}

/** The bucket's name, or a `file://` folder. @throws NestError `bucket_missing` */
export function bucketFrom(environment: Environment): string {
  const bucket = variable(environment, "NEST_BACKUP_BUCKET");
  if (bucket === undefined) {
    throw new NestError("bucket_missing", "NEST_BACKUP_BUCKET is not set", {
      hint: "name a bucket, or use -local FILE or -file ARCHIVE",
    });
  }
  if (!bucket.startsWith("file://") && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new NestError("bucket_missing", "NEST_BACKUP_BUCKET is no valid bucket name");
  }
  return bucket;
}

/**
 * Finds out whose archives are ours: `NEST_HUB_ID`, else `<data>/saas/hub-id`, else the namespace.
 *
 * @throws NestError `hub_id_unreadable` when the file exists and holds no id: another id would select another hub's archives.
 */
export async function hubIdOf(environment: Environment, settings: Settings): Promise<string> {
  const given = variable(environment, "NEST_HUB_ID");
  if (given !== undefined) return given;
  const file = join(settings.dataDir, "saas", "hub-id");
  const refuse = (why: string) =>
    new NestError("hub_id_unreadable", `${file} ${why}`, {
      hint: "the hub's archives go by this name; make the file readable, or set NEST_HUB_ID",
    });
  const saved = await readTextIfPresent(file).catch((thrown: NodeJS.ErrnoException) => {
    // Without a data directory there is no such file either, and list and status must work without one.
    if (thrown.code === "ENOTDIR") return undefined;
    throw refuse(`cannot be read (${thrown.code})`);
  });
  if (saved?.trim() === "") throw refuse("is empty");
  return saved?.trim() ?? settings.namespace;
}

/**
 * Reads the hub's own variable; unset means the embedded database. Errors never repeat the value, because it may contain a
 * password.
 */
function databaseUrl(environment: Environment): string | undefined {
  const url = variable(environment, "NEST_DATABASE_URL");
  if (url === undefined || /^postgres(ql)?:\/\//.test(url)) return url;
  throw new UsageError("NEST_DATABASE_URL: must begin with postgres:// or postgresql://");
}

function positive(environment: Environment, name: string): number | undefined {
  const text = variable(environment, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text.trim()) || Number(text) === 0)
    throw new UsageError(`${name}: must be a whole number above 0`);
  return Number(text);
}
