import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type ArchiveContent, extractedPlace, type MemberHead, type Place, Staging } from "@nest/archive";
import { NestError, readTextIfPresent } from "@nest/kit";
import { ourName } from "../archives/ancestor-names.ts";
import { checkArchive, namedSource } from "../archives/archive-source.ts";
import { gapReport } from "../archives/report.ts";
import { withoutRunningHub } from "../database/hub-lock.ts";
import type { Loaded } from "../database/read-export.ts";
import { loadSqlite } from "../database/sqlite-load.ts";
import type { BackupDeps } from "../deps/deps.ts";
import { keyFrom, readSettings } from "../settings/settings.ts";

export interface RestoreFlags {
  readonly file?: string;
  readonly name?: string;
  readonly dest?: string;
  readonly spoke?: string;
  readonly "dry-run"?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

const DATABASE = ".restored-database";
const EMBEDDED = "hub.sqlite";
/** Tells the hub at its next start what it was restored from. The hub removes it. */
const NOTE = ".restored-from.json";
const IDENTITY = { hub: "saas/hub-id", spoke: "nest-id" } as const;
/** Where a directory may say whose it is: a spoke of the ancestor has a file of its own. */
const IDENTITIES = { hub: [IDENTITY.hub], spoke: [IDENTITY.spoke, "hive-id"] } as const;

interface Target {
  readonly kind: "hub" | "spoke";
  readonly destination: string;
  place(head: MemberHead): Place | undefined;
}

/**
 * `restore`: restores an archive. A hub's archive fills an empty data directory and its database; a spoke's own archive, or
 * one spoke of a hub's archive (`-spoke ID`), fills a spoke's data directory. Files are staged beside the destination,
 * checked, then moved.
 */
export async function restore(deps: BackupDeps, flags: RestoreFlags): Promise<0> {
  const source = await namedSource(deps, flags);
  const settings = readSettings(deps.environment);
  const destination = resolve(flags.dest ?? settings.dataDir);
  const key = keyFrom(deps.environment);
  // Read it once without writing: its content decides the destination, and an invalid archive must change nothing.
  const looked = await checkArchive(deps, source(), key);
  const target = targetOf(looked, destination, flags);
  const restored = await stageAndPublish(deps, flags, {
    target,
    archive: basename(flags.name ?? flags.file ?? ""),
    madeAt: looked.manifest.created_at,
    read: (staging) => checkArchive(deps, source(), key, { visitor: staging }),
    databaseUrl: settings.databaseUrl,
  });
  print(deps, flags, { target, looked, restored });
  return 0;
}

/**
 * Decides what to restore and where. @throws NestError `not_restorable` when the archive holds nothing for that destination.
 */
function targetOf(content: ArchiveContent, destination: string, flags: RestoreFlags): Target {
  const paths = content.manifest.files.map(({ path }) => path);
  if (flags.spoke !== undefined) {
    const start = `spokes/${flags.spoke}/`;
    if (!paths.some((path) => path.startsWith(start))) {
      throw new NestError("not_restorable", `the archive holds no spoke "${flags.spoke}"`, {
        hint: "nest-backup verify names the spokes that were not captured",
      });
    }
    return { kind: "spoke", destination, place: (head) => movedToSpoke(head, start, paths) };
  }
  if (paths.some((path) => path.startsWith("spoke/"))) {
    const place = (head: MemberHead) => movedToSpoke(head, "spoke/", paths) ?? moved(head, "beads/", "beads/");
    return { kind: "spoke", destination, place };
  }
  if (!paths.some((path) => path.startsWith("hub/")))
    throw new NestError("not_restorable", "the archive holds no hub and no spoke");
  const place = (head: MemberHead) => {
    if (head.path === `hub/${NOTE}`) return undefined;
    return moved(head, "hub/database/", `${DATABASE}/`, 0o600) ?? moved(head, "hub/", "");
  };
  return { kind: "hub", destination, place };
}

function moved(head: MemberHead, from: string, to: string, mode = extractedPlace(head).mode): Place | undefined {
  if (!head.path.startsWith(from)) return undefined;
  return { mode, path: `${to}${head.path.slice(from.length)}` };
}

/** Files of the ancestor get our names, unless the archive holds a file of ours with that name. */
function movedToSpoke(head: MemberHead, from: string, paths: readonly string[]): Place | undefined {
  const place = moved(head, from, "", 0o600);
  if (place === undefined) return undefined;
  const path = ourName(place.path);
  return path === place.path || paths.includes(`${from}${path}`) ? place : { ...place, path };
}

interface Restored {
  readonly files: number;
  readonly tables: number;
  readonly rows: number;
}

async function stageAndPublish(
  deps: BackupDeps,
  flags: RestoreFlags,
  work: {
    readonly target: Target;
    readonly archive: string;
    readonly madeAt: string;
    readonly databaseUrl: string | undefined;
    read(staging: Staging): Promise<ArchiveContent>;
  },
): Promise<Restored> {
  const { target } = work;
  await using staging = await Staging.begin({
    destination: target.destination,
    random: deps.random.hex(4),
    merge: target.kind === "spoke" || flags.force === true,
    place: target.place,
  });
  await work.read(staging);
  await guardIdentity(staging, target, flags.force === true);
  await using database = await loadDatabase(staging, work.databaseUrl);
  const { tables = 0, rows = 0 } = database?.loaded ?? {};
  const files = staging.files.length - Number(staging.files.includes(EMBEDDED));
  if (flags["dry-run"] === true) return { files, tables, rows };
  if (target.kind === "spoke") await staging.publish();
  else {
    await leaveNote(staging, deps, work);
    await withoutRunningHub(target.destination, async () => {
      // The log of an older database must never be applied to the restored one.
      for (const ending of ["-wal", "-shm"])
        await rm(join(target.destination, `${EMBEDDED}${ending}`), { force: true });
      await staging.publish();
      // Committed last: files can be moved again after a failure, but a database that was filled is never filled again.
      await database?.keep();
    });
  }
  return { files, tables, rows };
}

/** None where the archive does not say when it was made. */
async function leaveNote(
  staging: Staging,
  { clock }: BackupDeps,
  { archive, madeAt }: { readonly archive: string; readonly madeAt: string },
): Promise<void> {
  const made = Date.parse(madeAt);
  if (Number.isNaN(made)) return;
  const [made_at, restored_at] = [made, clock.now()].map((at) => new Date(at).toISOString());
  const note = { archive, made_at, restored_at };
  await writeFile(staging.staged(NOTE), `${JSON.stringify(note)}\n`, { mode: 0o600, flag: "wx" });
  staging.adopt(NOTE);
}

interface DatabaseLoad extends AsyncDisposable {
  readonly loaded: Loaded;
  keep(): Promise<void>;
}

/** Loads the archive's database into a file among the staged ones, or into the database of `NEST_DATABASE_URL`. */
async function loadDatabase(staging: Staging, databaseUrl: string | undefined): Promise<DatabaseLoad | undefined> {
  if (!staging.files.includes(`${DATABASE}/schema.json`)) return undefined;
  const folder = staging.staged(DATABASE);
  if (databaseUrl !== undefined) {
    const { loadPostgres } = await import("../database/postgres-load.ts");
    const pending = await loadPostgres(folder, databaseUrl);
    await staging.drop(DATABASE);
    return pending;
  }
  const loaded = await loadSqlite(folder, staging.staged(EMBEDDED));
  await staging.drop(DATABASE);
  staging.adopt(EMBEDDED);
  return { loaded, keep: async () => {}, [Symbol.asyncDispose]: async () => {} };
}

/** Prevents overwriting another hub's or spoke's volume by mistake. @throws NestError `identity_differs` */
async function guardIdentity(staging: Staging, target: Target, force: boolean): Promise<void> {
  const name = IDENTITY[target.kind];
  const coming = staging.files.includes(name) ? (await readFile(staging.staged(name), "utf8")).trim() : undefined;
  const said = await Promise.all(
    IDENTITIES[target.kind].map((file) => readTextIfPresent(join(target.destination, file))),
  );
  const there = said.map((text) => text?.trim() ?? "").find((id) => id !== "" && id !== coming);
  if (force || there === undefined) return;
  throw new NestError(
    "identity_differs",
    `${target.destination} belongs to "${there}", the archive to "${coming ?? "nobody"}"`,
    {
      hint: "choose the right directory, or pass -force to overwrite this one",
    },
  );
}

function print(
  deps: BackupDeps,
  flags: RestoreFlags,
  done: { readonly target: Target; readonly looked: ArchiveContent; readonly restored: Restored },
): void {
  const { target, looked, restored } = done;
  const dryRun = flags["dry-run"] === true;
  if (flags.json === true) {
    deps.print(JSON.stringify({ kind: target.kind, dest: target.destination, dry_run: dryRun, ...restored }));
    return;
  }
  const database = restored.tables === 0 ? "" : ` and a database of ${restored.tables} tables, ${restored.rows} rows`;
  const did = dryRun ? "would restore" : "restored";
  deps.print(
    `${did} a ${target.kind}: ${restored.files} files${database} ${dryRun ? "into" : "to"} ${target.destination}`,
  );
  for (const line of gapReport(looked.manifest)) deps.print(line);
  if (target.kind !== "hub") return;
  const secrets = looked.manifest.secret_names ?? [];
  if (secrets.length > 0)
    deps.print(`not restored here: Secrets ${secrets.join(", ")} (extract the archive and apply secrets/*.json)`);
  const spokes = looked.manifest.spoke_ids ?? [];
  if (spokes.length > 0)
    deps.print(`not restored here: ${spokes.length} spokes (nest-backup restore -spoke ID for each)`);
}
