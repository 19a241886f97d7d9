import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ratioLine, short, table } from "../figures/table.ts";
import { missing, type Taken, timed, timedPipeline } from "./measure.ts";
import { makeTree } from "./tree.ts";

export interface BackupBench {
  /** Size of the tree. */
  readonly megabytes: number;
  /** Memory is measured at a tenth of the tree's size, at it and at ten times it; this leaves the last out. */
  readonly quick: boolean;
  /** How often each is measured; the best counts. */
  readonly rounds?: number;
  print(text: string): void;
  tell(text: string): void;
}

interface Peer {
  readonly name: string;
  readonly needs: readonly string[];
  run(): Promise<Taken>;
  /** The file or folder that it leaves. */
  readonly leaves?: string;
}

interface Row {
  readonly name: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rss: number | undefined;
  readonly bytes: number | undefined;
}

const PROCESS = new URL("./archive-process.ts", import.meta.url).pathname;
const COMMAND = new URL("../../../bin/nest-backup", import.meta.url).pathname;
const ROUNDS = 3;
const RESTIC = { environment: { RESTIC_PASSWORD: "bench" } };

/** Ours beside what people use, on one tree in one run. Every peer that is not installed is named with the reason. */
export async function benchBackup(bench: BackupBench): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "nest-bench-backup-"));
  try {
    bench.tell("making the tree");
    const tree = makeTree(join(home, "data"), bench.megabytes);
    bench.print(`tree: ${tree.files} files, ${short(tree.bytes / 1e6)} MB`);
    const write = await rowsOf(bench, writers(home));
    bench.print(tableOf("make one encrypted archive", write, tree.bytes));
    const read = await rowsOf(bench, readers(home));
    bench.print(tableOf("read all of it back and verify", read, tree.bytes));
    bench.print(ratios(write, read).join("\n"));
    await memory(bench, home);
    await wrongKey(bench, join(home, "gzip.enc"));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function writers(home: string): Peer[] {
  const data = join(home, "data");
  const ours = (codec: string) => node(home, "write", data, join(home, `${codec}.enc`), codec);
  const withAge = async (compressor: string, file: string) => {
    await timedPipeline('[ -e "$1" ] || age-keygen -o "$1" 2>/dev/null', join(home, "key"));
    const script = `tar -C "$1" -cf - . | ${compressor} | age -r "$(age-keygen -y "$3")" -o "$2"`;
    return timedPipeline(script, join(data, "saas"), join(home, file), join(home, "key"));
  };
  return [
    { name: "ours, gzip", needs: [], run: () => ours("gzip"), leaves: join(home, "gzip.enc") },
    { name: "ours, zstd", needs: [], run: () => ours("zstd"), leaves: join(home, "zstd.enc") },
    {
      name: "single shot, all in memory",
      needs: [],
      run: () => node(home, "single-shot", data, join(home, "single.enc")),
      leaves: join(home, "single.enc"),
    },
    {
      name: "tar + pigz + age",
      needs: ["tar", "pigz", "age"],
      run: () => withAge("pigz -6", "pigz.age"),
      leaves: join(home, "pigz.age"),
    },
    {
      name: "tar + zstd -3 -T0 + age",
      needs: ["tar", "zstd", "age"],
      run: () => withAge("zstd -3 -T0 -q", "zstd.age"),
      leaves: join(home, "zstd.age"),
    },
    {
      name: "restic, first backup",
      needs: ["restic"],
      run: async () => {
        rmSync(join(home, "restic"), { recursive: true, force: true });
        mkdirSync(join(home, "restic"));
        await timed("restic", ["-q", "-r", join(home, "restic"), "init"], RESTIC);
        return timed("restic", ["-q", "--no-cache", "-r", join(home, "restic"), "backup", join(data, "saas")], RESTIC);
      },
    },
  ];
}

function readers(home: string): Peer[] {
  const age = 'age -d -i "$2" "$1" | %s | tar -tf - >/dev/null';
  const piped = (script: string, file: string) => timedPipeline(script, join(home, file), join(home, "key"));
  return [
    { name: "ours, gzip", needs: [], run: () => node(home, "verify", join(home, "gzip.enc")) },
    { name: "ours, zstd", needs: [], run: () => node(home, "verify", join(home, "zstd.enc")) },
    { name: "tar + pigz + age", needs: ["pigz", "age"], run: () => piped(age.replace("%s", "pigz -d"), "pigz.age") },
    { name: "tar + zstd + age", needs: ["zstd", "age"], run: () => piped(age.replace("%s", "zstd -dq"), "zstd.age") },
    {
      name: "restic check --read-data",
      needs: ["restic"],
      run: () => timed("restic", ["-q", "--no-cache", "-r", join(home, "restic"), "check", "--read-data"], RESTIC),
    },
  ];
}

/** As the command starts (bin/nest-backup): little memory for objects, compiled code kept from the run before. */
function node(home: string, ...words: string[]): Promise<Taken> {
  const flags = [
    "--disable-warning=ExperimentalWarning",
    "--no-concurrent-sparkplug",
    "--no-concurrent-recompilation",
    "--max-semi-space-size=8",
    "--optimize-for-size",
  ];
  return timed(process.execPath, [...flags, PROCESS, ...words], {
    environment: { NODE_COMPILE_CACHE: join(home, "compiled") },
  });
}

/** The best of a few rounds of each. All take turns, so that a moment in which the machine is busy is everybody's. */
async function rowsOf(bench: BackupBench, peers: readonly Peer[]): Promise<Row[]> {
  const here: Peer[] = [];
  for (const peer of peers) {
    const absent = await missing(peer.needs);
    if (absent.length === 0) here.push(peer);
    else bench.print(`skipped: ${peer.name}: ${absent.join(", ")} not installed`);
  }
  const best = new Map<Peer, Taken>();
  const { rounds = ROUNDS } = bench;
  for (let round = 1; round <= rounds; round += 1) {
    for (const peer of here) {
      bench.tell(`${peer.name}, round ${round} of ${rounds}`);
      const taken = await peer.run();
      if (taken.code !== 0) throw new Error(`${peer.name} ended with ${taken.code}`);
      if (taken.seconds < (best.get(peer)?.seconds ?? Number.POSITIVE_INFINITY)) best.set(peer, taken);
    }
  }
  return here.map((peer) => {
    const taken = best.get(peer);
    const rss = Number(taken?.out.trim()) || undefined;
    const bytes = peer.leaves === undefined ? undefined : statSync(peer.leaves).size;
    const { seconds = Number.NaN, cpuSeconds = Number.NaN } = taken ?? {};
    return { name: peer.name, seconds, cpuSeconds, rss, bytes };
  });
}

function tableOf(title: string, rows: readonly Row[], treeBytes: number): string {
  const lines = rows.map(({ name, seconds, cpuSeconds, rss, bytes }) => [
    name,
    short(seconds),
    short(cpuSeconds),
    short(treeBytes / 1e6 / seconds),
    short(rss === undefined ? undefined : rss / 1024),
    short(bytes === undefined ? undefined : bytes / 1e6),
  ]);
  return `\n${title}\n${table(["", "s", "CPU s", "MB/s", "RSS MiB", "stored MB"], lines)}`;
}

/** Speed of ours over theirs: more than 1 is faster. */
function ratios(write: readonly Row[], read: readonly Row[]): string[] {
  type Figure = "seconds" | "cpuSeconds";
  const per = (rows: readonly Row[], name: string, figure: Figure) => ({
    name,
    value: 1 / (rows.find((row) => row.name === name)?.[figure] ?? Number.NaN),
  });
  const lines = (what: string, rows: readonly Row[], ours: string, theirs: string) =>
    (["seconds", "cpuSeconds"] as const).map((figure) => {
      const word = figure === "seconds" ? what : `${what} per CPU second`;
      return ratioLine(word, per(rows, ours, figure), per(rows, theirs, figure));
    });
  return [
    lines("speed", write, "ours, gzip", "tar + pigz + age"),
    lines("speed", write, "ours, gzip", "single shot, all in memory"),
    lines("speed", write, "ours, zstd", "tar + zstd -3 -T0 + age"),
    lines("speed", write, "ours, zstd", "restic, first backup"),
    lines("verify", read, "ours, gzip", "restic check --read-data"),
    lines("verify", read, "ours, zstd", "restic check --read-data"),
  ].flat();
}

/** Content made on the way, sealed and thrown away: what grows here would be the archive's own. */
async function memory(bench: BackupBench, home: string): Promise<void> {
  const sizes = [bench.megabytes / 10, bench.megabytes, ...(bench.quick ? [] : [bench.megabytes * 10])].map(Math.ceil);
  const rows: string[][] = [];
  for (const size of sizes) {
    bench.tell(`memory at ${size} MiB`);
    const { out } = await node(home, "stream", String(size));
    rows.push([`${size} MiB`, short(Number(out.trim()) / 1024)]);
  }
  bench.print(`\npeak memory while sealing\n${table(["archive of", "RSS MiB"], rows)}`);
}

async function wrongKey(bench: BackupBench, file: string): Promise<void> {
  const { rounds = ROUNDS } = bench;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 2 * rounds; round += 1) {
    const { seconds, code } = await timed(COMMAND, ["verify", "-file", file], {
      environment: { NEST_BACKUP_KEY: "cd".repeat(32) },
      isQuiet: true,
    });
    if (code !== 4) throw new Error(`a wrong key ended with ${code}, not 4`);
    best = Math.min(best, seconds);
  }
  writeFileSync(file, "");
  bench.print(`\nwrong key told in ${Math.round(best * 1000)} ms, process start included`);
}
