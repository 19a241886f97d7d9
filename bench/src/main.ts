import { cpus } from "node:os";
import { errorLines, exitCodeOf, ProgressLine, parseFlags, UsageError } from "@nest/kit";
import { benchAuthCheck } from "./auth-check/auth-check.ts";
import { benchBackup } from "./backup/backup.ts";
import { benchDispatch, type Part, parts } from "./dispatch.ts";
import { benchHeartbeats } from "./heartbeats/heartbeats.ts";
import { benchHistory } from "./history/history.ts";
import { benchClaim } from "./hosted/claim.ts";
import { benchWatch } from "./hosted/watch.ts";
import { benchLedger } from "./ledger/ledger.ts";
import { benchNumbers } from "./numbers/numbers.ts";
import { benchFirstPaint } from "./pages/first-paint.ts";
import { benchOpenPages } from "./pages/open-pages.ts";
import { benchOperationsPage } from "./pages/operations-page.ts";
import { naivePeer } from "./peers/naive-peer.ts";
import { benchRelay } from "./relay/relay.ts";

const USAGE = `usage: npm run bench -- dispatch [PART] [-seconds N] [-relays N] [-hub all|naive]
       npm run bench -- backup [-megabytes N] [-quick]
       npm run bench -- relay [-relays N] [-seconds N]
       npm run bench -- ledger [-beads N] [-seconds N]
       npm run bench -- heartbeats [-nests N] [-seconds N]
       npm run bench -- history [-events N]
       npm run bench -- auth-check [-nests N] [-seconds N]
       npm run bench -- claim [-nests N]
       npm run bench -- watch [-nests N]
       npm run bench -- numbers
       npm run bench -- first-paint
       npm run bench -- operations-page [-relays N] [-seconds N]
       npm run bench -- open-pages [-relays N] [-pages N] [-seconds N]

relay: the bundled relay's start, memory and processor time at rest; then 100 of them (or -relays) on this machine against one hub:
until all are connected, what each takes at rest, and one task each.

backup: one encrypted archive of the same tree by ours, the shape before it, tar+pigz+age, tar+zstd+age and restic, and reading
all of it back (default 1024 MB); a peer that is not installed is named. -quick leaves the memory of a ten times larger tree out.

ledger: a spoke's work ledger of 100,000 beads (or -beads): what \`ready\` takes after each change; durable appends beside the same
bytes written and synced by hand.

history: what the page of a task and the page of an issue wait for, in a hub with 1,000,000 events of history (or -events).

auth-check: what the ingress asks for each request to a hosted nest, 2,000 times a second, beside a bare web server.

claim: 20 placeholders (or -nests) on a real API server with its controllers are given to an owner, one after the other: until the
cluster is asked for the pod, beside three writes to the same objects.

watch: a hub with 500 nests (or -nests) on a real API server: its memory, and how many watches and connections the server sees,
beside the same hub that does not touch the cluster. Both need the server that local-cluster/server/build.sh makes.

numbers: the page of numbers over 90 days with 50 repositories and 500 contributors, all of whom worked everywhere every day, beside one
sum over the same rows.

first-paint: when pages of the hub first show something in Chromium at 1.6 Mbit/s with a processor four times slower, and how much
script they load, beside a page without the browser app.

operations-page: the operations page in Chromium with 10,000 relays (or -relays), 50,000 issues and 1,000 events a second: frames while
its lists are scrolled, memory and how it grows, what the stream sends it.

open-pages: from ready to task_assign in the same hub while 20 operations pages (or -pages) are open, while none is, and while as many
read the same from a recording, in turns.

heartbeats: 1,000 nests (or -nests) beat at the hub a hundred times as often as they do, over real HTTP, beside a bare web server
that answers the same bodies.

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

/** How long each figure is measured, unless a flag says so. */
const secondsOf: Readonly<Record<string, number>> = {
  relay: 10,
  heartbeats: 30,
  "auth-check": 20,
  "operations-page": 60,
  "open-pages": 10,
};

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
    nests: "number",
    pages: "number",
    events: "number",
  });
  const [subject, part = "peers", ...rest] = words;
  if (help || subject === undefined) {
    process.stdout.write(USAGE);
    return help ? 0 : 2;
  }
  const seconds = within("seconds", flags.seconds ?? secondsOf[subject] ?? 5, 120);
  switch (subject) {
    case "backup": {
      const megabytes = within("megabytes", flags.megabytes ?? 1024, 20_000);
      return measured((to) => benchBackup({ megabytes, quick: flags.quick ?? false, ...to }));
    }
    case "relay":
      return measured((to) => benchRelay({ relays: within("relays", flags.relays ?? 100, 500), seconds, ...to }));
    case "ledger":
      return measured((to) => benchLedger({ beads: within("beads", flags.beads ?? 100_000, 200_000), seconds, ...to }));
    case "history":
      return measured((to) => benchHistory({ events: within("events", flags.events ?? 1_000_000, 20_000_000), ...to }));
    case "auth-check":
      return measured((to) => benchAuthCheck({ nests: within("nests", flags.nests ?? 500, 5000), seconds, ...to }));
    case "claim":
      return measured((to) => benchClaim({ claims: within("nests", flags.nests ?? 20, 40), ...to }));
    case "watch":
      return measured((to) => benchWatch({ nests: within("nests", flags.nests ?? 500, 2000), ...to }));
    case "operations-page":
      return measured((to) => benchOperationsPage({ relays: relaysOf(flags.relays), seconds, ...to }));
    case "open-pages": {
      const pages = within("pages", flags.pages ?? 20, 200);
      return measured((to) => benchOpenPages({ relays: relaysOf(flags.relays), pages, seconds, ...to }));
    }
    case "first-paint":
      return measured(benchFirstPaint);
    case "numbers":
      return measured(benchNumbers);
    case "heartbeats":
      return measured((to) => benchHeartbeats({ nests: within("nests", flags.nests ?? 1000, 5000), seconds, ...to }));
  }
  if (subject !== "dispatch") throw new UsageError(`there is no benchmark ${subject}`, { hint: "npm run bench -- -h" });
  if (!isPart(part) || rest.length > 0) throw new UsageError(`parts are ${parts.join(", ")}`);
  const relays = flags.relays === undefined ? undefined : relaysOf(flags.relays);
  if (flags.hub !== undefined && flags.hub !== "all" && flags.hub !== "naive")
    throw new UsageError("flag -hub takes all or naive");
  const only = flags.hub === "naive" ? { hubs: [naivePeer] } : {};
  return measured((to) => benchDispatch({ part, seconds, relays, ...to, ...only }));
}

interface Telling {
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

/** Runs a benchmark: what it finds goes to stdout, how far it is to the last line of stderr. */
async function measured(bench: (to: Telling) => Promise<void>): Promise<number> {
  const progress = new ProgressLine(process.stderr);
  const print = (text: string) => {
    progress.end();
    console.log(text);
  };
  print(`node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}`);
  await bench({ print, tell: (text) => progress.show(text) });
  progress.end();
  return 0;
}

function relaysOf(given: number | undefined): number {
  return within("relays", given ?? 10_000, 18_000);
}

function isPart(word: string): word is Part {
  return (parts as readonly string[]).includes(word);
}

function within(name: string, value: number, most: number): number {
  if (value >= 1 && value <= most) return value;
  throw new UsageError(`flag -${name} takes 1 to ${most}`);
}
