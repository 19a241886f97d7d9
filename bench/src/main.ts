import { cpus } from "node:os";
import { errorLines, exitCodeOf, ProgressLine, parseFlags, UsageError } from "@nest/kit";
import { benchBackup } from "./backup/backup.ts";
import { benchDispatch, type Part, parts } from "./dispatch.ts";
import { benchLedger } from "./ledger/ledger.ts";
import { naivePeer } from "./peers/naive-peer.ts";
import { benchRelay } from "./relay/relay.ts";

const USAGE = `usage: npm run bench -- dispatch [PART] [-seconds N] [-relays N] [-hub all|naive]
       npm run bench -- backup [-megabytes N] [-quick]
       npm run bench -- relay [-relays N] [-seconds N]
       npm run bench -- ledger [-beads N] [-seconds N]

relay: the bundled relay's start, memory and processor time at rest; then 100 of them (or -relays) on this machine against one hub:
until all are connected, what each takes at rest, and one task each.

backup: one encrypted archive of the same tree by ours, the shape before it, tar+pigz+age, tar+zstd+age and restic, and reading
all of it back (default 1024 MB); a peer that is not installed is named. -quick leaves the memory of a ten times larger tree out.

ledger: a spoke's work ledger of 100,000 beads (or -beads): what \`ready\` takes after each change; durable appends beside the same
bytes written and synced by hand.

dispatch: measures the hub against named peers, all in one run on this machine, and prints the ratios. Compare only figures of one
run: another moment's disk and load are another machine.

parts:
  peers      full cycles a second: the hub on both engines, a naive hub, BullMQ, graphile-worker, pg-boss   (what you get without a part)
  cycles     full cycles a second with 200 and 1,000 relays: the hub and the naive hub
  latency    from ready to task_assign with 10,000 relays, 500, 1,000 and 2,000 a second offered
  busy       the same at 1,000 a second while a queue of 20,000 issues is rebuilt again and again and an admin's page streams
  grants     one grant over 100,000 issues in 50 repositories, the decision alone, beside a walk over every issue
  memory     resident memory of 10,000 idle, authenticated relays
  recovery   10,000 relays, 5,000 leases, kill -9, started again at once: until the last lease is resumed
  all        everything above

flags:
  -seconds N   how long each figure is measured (default 5, 1 to 120)
  -relays N    how many relays, in place of each part's own number (1 to 18,000)
  -hub naive   only the naive hub: checks the bench itself

A full cycle is ready, task_assign, task_accepted, task_progress, task_complete, task_ack: every change on disk before its
answer. The load client runs in a process of its own and shares this machine's processors with the hub. Everything listens
on loopback and lives in temporary folders that are removed.
`;

process.exitCode = await main(process.argv.slice(2)).catch((thrown) => {
  for (const line of errorLines("bench", thrown)) console.error(line);
  return exitCodeOf(thrown);
});

async function main(args: readonly string[]): Promise<number> {
  const { flags, words, help } = parseFlags(args, {
    seconds: "number",
    relays: "number",
    hub: "text",
    megabytes: "number",
    quick: "switch",
    beads: "number",
  });
  const [subject, part = "peers", ...rest] = words;
  if (help || subject === undefined) {
    process.stdout.write(USAGE);
    return help ? 0 : 2;
  }
  if (subject === "backup") return backup(flags.megabytes ?? 1024, flags.quick ?? false);
  if (subject === "relay") return relay(flags.relays ?? 100, flags.seconds ?? 10);
  if (subject === "ledger") return ledger(flags.beads ?? 100_000, flags.seconds ?? 5);
  if (subject !== "dispatch") throw new UsageError(`there is no benchmark ${subject}`, { hint: "npm run bench -- -h" });
  if (!isPart(part) || rest.length > 0) throw new UsageError(`parts are ${parts.join(", ")}`);
  const seconds = within("seconds", flags.seconds ?? 5, 120);
  const relays = flags.relays === undefined ? undefined : within("relays", flags.relays, 18_000);
  if (flags.hub !== undefined && flags.hub !== "all" && flags.hub !== "naive")
    throw new UsageError("flag -hub takes all or naive");
  const progress = new ProgressLine(process.stderr);
  const print = (text: string) => {
    progress.end();
    console.log(text);
  };
  print(`node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}`);
  const only = flags.hub === "naive" ? { hubs: [naivePeer] } : {};
  await benchDispatch({ part, seconds, relays, print, tell: (text) => progress.show(text), ...only });
  progress.end();
  return 0;
}

async function relay(relays: number, seconds: number): Promise<number> {
  const progress = new ProgressLine(process.stderr);
  const print = (text: string) => {
    progress.end();
    console.log(text);
  };
  print(`node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}`);
  await benchRelay({
    relays: within("relays", relays, 500),
    seconds: within("seconds", seconds, 120),
    print,
    tell: (text) => progress.show(text),
  });
  progress.end();
  return 0;
}

async function ledger(beads: number, seconds: number): Promise<number> {
  const progress = new ProgressLine(process.stderr);
  const print = (text: string) => {
    progress.end();
    console.log(text);
  };
  print(`node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}`);
  await benchLedger({
    beads: within("beads", beads, 200_000),
    seconds: within("seconds", seconds, 120),
    print,
    tell: (text) => progress.show(text),
  });
  progress.end();
  return 0;
}

async function backup(megabytes: number, quick: boolean): Promise<number> {
  const progress = new ProgressLine(process.stderr);
  const print = (text: string) => {
    progress.end();
    console.log(text);
  };
  await benchBackup({
    megabytes: within("megabytes", megabytes, 20_000),
    quick,
    print,
    tell: (text) => progress.show(text),
  });
  progress.end();
  return 0;
}

function isPart(word: string): word is Part {
  return (parts as readonly string[]).includes(word);
}

function within(name: string, value: number, most: number): number {
  if (value >= 1 && value <= most) return value;
  throw new UsageError(`flag -${name} takes 1 to ${most}`);
}
