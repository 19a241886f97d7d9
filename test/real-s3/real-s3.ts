import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createWriteStream, mkdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts } from "../harness/folder-here.ts";
import { killAll } from "../harness/process-here.ts";

/** Debian's programs, by what they are. */
const PROGRAMS = {
  gateway: "radosgw",
  monitor: "ceph-mon",
  store: "ceph-osd",
  admin: "ceph",
  map: "monmaptool",
  gatewayAdmin: "radosgw-admin",
} as const;
const BOOT_MS = 50_000;

/** Whether the programs are there; prints why not, and fails where CI is set. */
export function hasRealS3(): boolean {
  const missing = Object.values(PROGRAMS).filter((name) => !isThere(name));
  if (missing.length === 0) return true;
  const reason = `${missing.join(", ")} not installed (Debian: radosgw ceph-mon ceph-osd ceph-common)`;
  if (process.env.CI === "true") throw new Error(`the real S3 server cannot be started: ${reason}`);
  console.error(`skipped: tests against a real S3 server: ${reason}`);
  return false;
}

/** A RADOS gateway with its store in memory, on loopback. Gone with all its data at the end. */
export class RealS3 implements AsyncDisposable {
  readonly #folder: string;
  readonly #processes: ChildProcess[] = [];
  endpoint = "";
  readonly accessKey = "nest-access-key";
  readonly secretKey = "nest-secret-key-of-the-tests";

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(attempts = 3): Promise<RealS3> {
    const s3 = new RealS3(await mkdtemp(join(tmpdir(), "nest-s3-")));
    try {
      await s3.#boot();
      return s3;
    } catch (thrown) {
      const log = await readFile(join(s3.#folder, "output"), "utf8").catch(() => "");
      await s3[Symbol.asyncDispose]();
      // A port that was free a moment ago may be somebody else's by now.
      if (attempts > 1) return RealS3.start(attempts - 1);
      throw new Error(`the real S3 server did not start:\n${log.slice(-2000)}`, { cause: thrown });
    }
  }

  async #boot(): Promise<void> {
    const [monitor = 0, gateway = 0] = await freePorts(2);
    const fsid = randomUUID();
    const osd = randomUUID();
    const at = (name: string) => join(this.#folder, name);
    for (const name of ["mon", "osd", "run"]) mkdirSync(at(name));
    await writeFile(at("ceph.conf"), configText({ folder: this.#folder, fsid, monitor, gateway }));
    const conf = ["-c", at("ceph.conf")];
    execFileSync(PROGRAMS.map, ["--create", "--addv", "a", `[v1:127.0.0.1:${monitor}]`, "--fsid", fsid, at("monmap")], {
      stdio: "ignore",
    });
    execFileSync(PROGRAMS.monitor, [...conf, "--mkfs", "-i", "a", "--monmap", at("monmap")], { stdio: "ignore" });
    this.#run(PROGRAMS.monitor, [...conf, "-i", "a", "-f"]);
    await until(() => tried(PROGRAMS.admin, [...conf, "--connect-timeout", "5", "osd", "new", osd]));
    execFileSync(PROGRAMS.store, [...conf, "-i", "0", "--mkfs", "--osd-uuid", osd], { stdio: "ignore" });
    this.#run(PROGRAMS.store, [...conf, "-i", "0", "-f"]);
    this.#run(PROGRAMS.gateway, [...conf, "-n", "client.rgw.a", "-f"]);
    this.endpoint = `http://127.0.0.1:${gateway}`;
    await until(() =>
      fetch(this.endpoint).then(
        (answer) => answer.ok,
        () => false,
      ),
    );
    const user = ["user", "create", "--uid=nest", "--display-name=nest"];
    const keys = [`--access-key=${this.accessKey}`, `--secret-key=${this.secretKey}`];
    execFileSync(PROGRAMS.gatewayAdmin, [...conf, "-n", "client.rgw.a", ...user, ...keys], { stdio: "ignore" });
  }

  #run(file: string, args: readonly string[]): void {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
    const log = createWriteStream(join(this.#folder, "output"), { flags: "a" });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    this.#processes.push(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killAll(this.#processes);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function configText(of: { folder: string; fsid: string; monitor: number; gateway: number }): string {
  return `[global]
fsid = ${of.fsid}
mon host = v1:127.0.0.1:${of.monitor}
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
run dir = ${of.folder}/run
log file = ${of.folder}/$name.log
admin socket = ${of.folder}/run/$name.asok
crash dir = ${of.folder}
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
[mon.a]
mon addr = 127.0.0.1:${of.monitor}
mon data = ${of.folder}/mon
[osd.0]
osd objectstore = memstore
memstore device bytes = 2147483648
osd data = ${of.folder}/osd
public addr = 127.0.0.1
cluster addr = 127.0.0.1
[client.rgw.a]
rgw frontends = beast endpoint=127.0.0.1:${of.gateway}
`;
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  for (const started = performance.now(); performance.now() - started < BOOT_MS; ) {
    if (await isDone()) return;
    await sleep(200);
  }
  throw new Error("it took too long");
}

function tried(file: string, args: readonly string[]): boolean {
  try {
    execFileSync(file, args, { stdio: "ignore", timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

function isThere(program: string): boolean {
  return tried("/bin/sh", ["-c", 'command -v "$1"', "sh", program]);
}
