import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { MemoryCluster, type Program } from "@nest/cluster";
import { type Environment, seededRandom, silentLog, VirtualClock } from "@nest/kit";
import { runCommand } from "../command.ts";
import type { BackupDeps } from "../deps/deps.ts";
import type { Blobs } from "../storage/blobs.ts";
import { MemoryBlobs } from "./memory-blobs.ts";

export const KEY = "00112233445566778899aabbccddeeff0123456789abcdeffedcba9876543210";
const SECRETS = ["nest-hub-secrets", "objstore-api-key", "nest-hub-kubeconfigs", "nest-hub-tls"];

/** A hub's data directory, a cluster and a storage, all removed at the end. */
export class HubUnderTest implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "nest-backup-test-"));
  readonly dataDir = join(this.folder, "data");
  readonly clock: VirtualClock;
  readonly cluster = new MemoryCluster();
  blobs: Blobs = new MemoryBlobs(() => this.clock.now());
  readonly stop = new AbortController();
  /** The number of times that a command requested a cluster. */
  clustersAsked = 0;
  environment: Environment = {
    NEST_BACKUP_KEY: KEY,
    NEST_BACKUP_BUCKET: "backups",
    NEST_BACKUP_DATA_DIR: this.dataDir,
  };
  out = "";
  err = "";

  constructor(now = Date.UTC(2026, 10, 21, 3, 17)) {
    this.clock = new VirtualClock(now);
    for (const name of SECRETS) this.cluster.addSecret("nest-hub", name, { value: "c2VjcmV0" });
    this.write("hub-registry.json", JSON.stringify({ nests: [], updatedAt: "" }));
    this.write("clusters.json", JSON.stringify([{ id: "home", in_cluster: true }]));
    this.write("saas/hmac.key", "0123456789abcdef0123456789abcdef");
    this.write("saas/users/ada.json", '{"login":"ada"}');
    for (const name of ["nous", "home", "beads", "logs"]) this.write(`${name}/large`, "excluded");
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.dataDir, path)), { recursive: true });
    writeFileSync(join(this.dataDir, path), content);
  }

  /** A database like a hub's, with rows of every kind. */
  database(): DatabaseSync {
    const sqlite = new DatabaseSync(join(this.dataDir, "hub.sqlite"));
    sqlite.exec(`pragma journal_mode = wal;
      create table if not exists migrations (id integer primary key, name text not null);
      insert or ignore into migrations values (1, 'dispatch');
      create table if not exists things (id text primary key, large integer, bytes blob, ratio real, note text);
      create index if not exists things_note on things (note) where note is not null;
      create table if not exists audit (id integer primary key autoincrement, what text not null)`);
    return sqlite;
  }

  /** Adds a spoke to the registry and its pod to the cluster. */
  addSpoke(id: string, program: Program | Readonly<Record<string, string>>): void {
    this.#spokes.push({ id, clusterId: "home" });
    this.write("hub-registry.json", JSON.stringify({ nests: this.#spokes }));
    const run = typeof program === "function" ? program : this.shellSpoke(id, program);
    this.cluster.addPod(`nest-hosted-${id}`, { name: `nest-${id}`, phase: "Running" }, run);
  }

  readonly #spokes: object[] = [];

  /** A container with a real folder as its data directory and a real shell. */
  shellSpoke(id: string, files: Readonly<Record<string, string>>): Program {
    const folder = join(this.folder, "spokes", id);
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return ({ command, stdout }) =>
      new Promise((resolve) => {
        const [file = "", ...args] = command;
        const env = { PATH: process.env.PATH, NEST_DATA_DIR: folder };
        const child = execFile(file, args, { env, encoding: "buffer", maxBuffer: 64 * 1024 * 1024 }, (_, out, err) => {
          stdout(out);
          resolve({ exitCode: child.exitCode ?? 1, stderr: err.toString("utf8") });
        });
      });
  }

  /** Runs a command line; its output is in {@link out} and {@link err}. */
  async run(...words: string[]): Promise<number> {
    this.out = "";
    this.err = "";
    const deps: BackupDeps = {
      environment: this.environment,
      version: "1.2.3",
      clock: this.clock,
      random: seededRandom(this.clock.now()),
      log: silentLog(),
      signal: this.stop.signal,
      print: (text) => {
        this.out += `${text}\n`;
      },
      tell: () => {},
      openBlobs: async () => this.blobs,
      hubCluster: async () => this.#asked(),
      spokeCluster: async () => this.#asked(),
    };
    return runCommand(words, deps, {
      out: (text) => {
        this.out += text;
      },
      err: (text) => {
        this.err += text;
      },
    });
  }

  #asked(): MemoryCluster {
    this.clustersAsked += 1;
    return this.cluster;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
