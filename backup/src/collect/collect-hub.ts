import { join } from "node:path";
import { MANIFEST_VERSION, type Manifest, type Member, NameSet, nameFault, type StoredFile } from "@nest/archive";
import { type DatabaseSnapshot, databaseMembers } from "../database/export.ts";
import { snapshotSqlite } from "../database/sqlite-snapshot.ts";
import type { BackupDeps } from "../deps/deps.ts";
import { type Fleet, readFleet, readRegistry } from "../fleet/fleet.ts";
import type { Settings } from "../settings/settings.ts";
import { checkSaas, countFiles, hubFileMembers } from "./hub-files.ts";
import { type CapturedSecrets, collectSecrets } from "./secrets.ts";
import { type CapturedSpokes, collectSpokes } from "./spokes.ts";

export interface CollectOptions {
  readonly settings: Settings;
  readonly hubId: string;
  readonly skipSpokes: boolean;
  readonly skipSecrets: boolean;
  readonly archiveId: string;
  readonly previous?: Manifest["previous"];
  readonly toolVersion: string;
}

/** A collected hub: small content is in memory, large content is read when it is needed. */
export interface CollectedHub extends AsyncDisposable {
  /** Counted in advance; the manifest has the exact number. */
  readonly plannedFiles: number;
  readonly spokes: number;
  /** Number of spokes at zero replicas: they have no pod to read from, and they are not lost. */
  readonly asleep: number;
  members(): AsyncGenerator<Member>;
  manifest(files: readonly StoredFile[]): Manifest;
}

const NO_SPOKES: CapturedSpokes & Pick<Fleet, "elsewhere"> = {
  captured: new Map(),
  errors: {},
  asleep: {},
  elsewhere: {},
};
const NO_SECRETS: CapturedSecrets = { secrets: new Map(), warnings: ["the Secrets were not captured, as asked for"] };

/**
 * Collects a hub: checks its data directory, reads its Secrets and spokes, and takes a snapshot of its database.
 *
 * @throws NestError when the backup would be worthless: no `saas/`, no registry, a required Secret missing, an unreadable
 * database.
 */
export async function collectHub(deps: BackupDeps, options: CollectOptions): Promise<CollectedHub> {
  const { settings } = options;
  const startedAt = deps.clock.now();
  checkSaas(settings.dataDir);
  await readRegistry(settings.dataDir);
  const fleet = options.skipSpokes ? undefined : await readFleet(settings.dataDir);
  deps.tell("reading the hub's Secrets");
  const { secrets, warnings } = options.skipSecrets
    ? NO_SECRETS
    : await collectSecrets(await deps.hubCluster(), settings.namespace, deps.signal);
  const spokes =
    fleet === undefined ? NO_SPOKES : { ...(await readSpokes(deps, settings, fleet)), elsewhere: fleet.elsewhere };
  const database = await openDatabase(settings);
  const skipped: Record<string, string> = {};
  for (const [id, { gaps }] of spokes.captured) {
    for (const [name, reason] of Object.entries(gaps)) skipped[`spokes/${id}/${name}`] = reason;
  }
  const spokeFiles = [...spokes.captured.values()].reduce((sum, { files }) => sum + files.size, 0);
  const tables = database === undefined ? 0 : database.facts.tables.length + 1;
  return {
    plannedFiles: countFiles(settings.dataDir) + secrets.size + spokeFiles + tables,
    spokes: spokes.captured.size,
    asleep: Object.keys(spokes.asleep).length,
    members: () => hubMembers({ deps, settings, secrets, spokes, database, skipped, startedAt }),
    manifest: (files) => {
      const finishedAt = deps.clock.now();
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      return {
        format_version: MANIFEST_VERSION,
        created_at: iso(startedAt),
        hub_data_dir: settings.dataDir,
        files: [...files],
        spoke_ids: [...spokes.captured.keys()],
        ...(fleet === undefined ? {} : { spoke_errors: { ...fleet.errors, ...spokes.errors } }),
        secret_names: [...secrets.keys()],
        kind: "hub",
        tool_version: options.toolVersion,
        hub_id: options.hubId,
        archive_id: options.archiveId,
        started_at: iso(startedAt),
        finished_at: iso(finishedAt),
        skipped,
        spoke_skipped_registry: { ...spokes.elsewhere, ...spokes.asleep },
        warnings: [...warnings],
        totals: { files: files.length, bytes },
        ...(options.previous === undefined ? {} : { previous: options.previous }),
      };
    },
    [Symbol.asyncDispose]: async () => database?.[Symbol.asyncDispose](),
  };
}

async function openDatabase(settings: Settings): Promise<DatabaseSnapshot | undefined> {
  if (settings.databaseUrl === undefined) return snapshotSqlite(join(settings.dataDir, "hub.sqlite"));
  const { snapshotPostgres } = await import("../database/postgres-snapshot.ts");
  return snapshotPostgres(settings.databaseUrl);
}

function readSpokes(deps: BackupDeps, settings: Settings, fleet: Fleet): Promise<CapturedSpokes> {
  return collectSpokes({
    spokes: fleet.spokes,
    clusterOf: (spoke) => deps.spokeCluster(spoke),
    spokeTimeoutMs: settings.spokeTimeoutMs,
    clock: deps.clock,
    signal: deps.signal,
    progress: (done, of) => deps.tell(`reading spokes: ${done} of ${of}`),
  });
}

async function* hubMembers(from: {
  readonly deps: BackupDeps;
  readonly settings: Settings;
  readonly secrets: CapturedSecrets["secrets"];
  readonly spokes: CapturedSpokes;
  readonly database: DatabaseSnapshot | undefined;
  readonly skipped: Record<string, string>;
  readonly startedAt: number;
}): AsyncGenerator<Member> {
  const names = new NameSet();
  const mtime = Math.floor(from.startedAt / 1000);
  const skip = (path: string, reason: string) => {
    from.skipped[path] = reason;
    from.deps.log.warn({ path, reason }, "not stored");
  };
  const inMemory = function* (path: string, content: Buffer): Generator<Member> {
    const fault = nameFault(path) ?? names.add(path);
    if (fault === undefined) yield { path, mode: 0o600, mtime, size: content.length, content: [content] };
    else skip(path, fault);
  };
  yield* hubFileMembers({ dataDir: from.settings.dataDir, names, skipped: skip });
  if (from.database !== undefined) yield* databaseMembers(from.database, mtime);
  for (const [name, text] of from.secrets) yield* inMemory(`secrets/${name}.json`, Buffer.from(text));
  for (const [id, { files }] of from.spokes.captured) {
    for (const [name, content] of files) yield* inMemory(`spokes/${id}/${name}`, content);
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
