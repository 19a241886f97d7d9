import type { Clock, Log, Random } from "@nest/kit";
import type { Durations } from "@nest/protocol";
import type { LedgerPast, LedgerRows } from "./leases/changes.ts";
import type { LedgerStore } from "./leases/ledger-store.ts";
import type { ScanStore, SharedScanStore } from "./queue/scan-store.ts";
import { type Bus, noBus } from "./replicas/bus.ts";
import { PostgresBus } from "./replicas/postgres-bus.ts";
import { Replicas } from "./replicas/replicas.ts";
import { PostgresLedger } from "./storage/ledger-postgres.ts";
import { SqliteLedger } from "./storage/ledger-sqlite.ts";
import type { PostgresDatabase } from "./storage/postgres.ts";
import { type Reader, UnsyncedSqliteReader } from "./storage/reader.ts";
import { PostgresScans } from "./storage/scans-postgres.ts";
import { SqliteScans } from "./storage/scans-sqlite.ts";
import type { SqliteDatabase } from "./storage/sqlite.ts";

export type HubDatabase = SqliteDatabase | PostgresDatabase;

/** Told of what happens at other replicas. */
export interface ReplicaListener {
  /** Another replica wrote a batch. */
  batch(): void;
  /** A replica is gone. Resolves when what it held is away for good. */
  gone(replica: string): Promise<void>;
  /** This replica is the leader from now on: it alone reads the code host. */
  lead(): Promise<void>;
  /** Another replica is. */
  follow(): void;
}

/** What the hub keeps its state in: the same promises on SQLite and on PostgreSQL. */
export interface Storage {
  /** This process among the hub's replicas: eight hexadecimal digits. */
  readonly replica: string;
  readonly reader: Reader;
  /** Runs statements that write what is counted from other rows and can be counted again. */
  readonly counts: Reader;
  readonly ledger: LedgerStore & LedgerPast;
  readonly bus: Bus;
  /** What several replicas need beyond that; undefined for a hub that is alone. */
  readonly shared:
    | {
        readonly replicas: Replicas;
        readonly scans: SharedScanStore;
        /** Tells `listener` of the other replicas; call it before anything is started. */
        listen(listener: ReplicaListener): void;
      }
    | undefined;
  readonly scans: ScanStore;
  /** The live rows as they were left. */
  load(): Promise<LedgerRows>;
  /** A key that every replica has: `mine` where nobody set one before. */
  key(name: string, mine: Buffer): Promise<Buffer>;
  close(): Promise<void>;
}

export interface StorageDeps {
  readonly times: Durations;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The storage over an open database. */
export async function openStorage(database: HubDatabase, deps: StorageDeps): Promise<Storage> {
  return database.kind === "sqlite" ? sqliteStorage(database, deps) : postgresStorage(database, deps);
}

function sqliteStorage(database: SqliteDatabase, { times, clock, random }: StorageDeps): Storage {
  const { sqlite, reader, checkpoints } = database;
  const ledger = new SqliteLedger(sqlite, checkpoints, times.dayWindowMs);
  const replica = random.hex(4);
  return {
    replica,
    reader,
    counts: new UnsyncedSqliteReader(sqlite),
    ledger,
    bus: noBus(replica),
    shared: undefined,
    scans: new SqliteScans(sqlite),
    load: () => ledger.load(reader, clock.now(), times.leaseTtlMs),
    key: async (_, mine) => mine,
    close: () => database.close(),
  };
}

async function postgresStorage(
  database: PostgresDatabase,
  { times, clock, random, log }: StorageDeps,
): Promise<Storage> {
  const replica = random.hex(4);
  // Set before anything is started.
  let listener: ReplicaListener | undefined;
  const replicas = new Replicas({
    database,
    replica,
    clock,
    log,
    onGone: async (gone) => listener?.gone(gone),
    onLeader: async () => listener?.lead(),
    onNotLeader: () => listener?.follow(),
  });
  const keyOfAll = async (name: string, mine: Buffer): Promise<Buffer> => {
    await database.pool.query("insert into replica_keys (name, value) values ($1, $2) on conflict do nothing", [
      name,
      mine,
    ]);
    const found = "select value from replica_keys where name = $1";
    const { rows } = await database.pool.query<{ value: Buffer }>(found, [name]);
    return rows[0]?.value ?? mine;
  };
  const bus = new PostgresBus({
    database,
    key: await keyOfAll("bus.key", Buffer.from(random.hex(32), "hex")),
    replica,
    clock,
    random,
    log,
    others: () => replicas.others,
    onBatch: () => listener?.batch(),
  });
  const ledger = new PostgresLedger({ database, replica, times, now: () => clock.now() });
  const scans = new PostgresScans(database, (repo) => bus.tell("scan", repo));
  // Known to the others before the first look at the tables: every batch from then on is kept for us.
  await replicas.join();
  await bus.open();
  return {
    replica,
    reader: database.reader,
    counts: database.reader,
    ledger,
    bus,
    shared: {
      replicas,
      scans,
      listen(told) {
        listener = told;
      },
    },
    scans,
    load: () => ledger.load(),
    key: keyOfAll,
    async close() {
      await replicas.close();
      await bus.close();
      await ledger.close();
      await database.close();
    },
  };
}
