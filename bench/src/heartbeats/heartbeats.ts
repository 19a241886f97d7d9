import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@nest/kit";
import { startLocalCodeHost } from "@nest/local-codehost";
import { ratioLine, short, table } from "../figures/table.ts";
import { cpuSeconds, endProcess, startServer, stolenSeconds } from "../process/child.ts";
import { HubHere } from "../process/hub-here.ts";
import { FleetOfNests } from "./fleet-of-nests.ts";

export interface HeartbeatBench {
  readonly nests: number;
  readonly seconds: number;
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

/** A nest beats every two minutes; these beat a hundred times as often. */
const TIMES_THE_REAL_RATE = 100;
const REAL_PERIOD_S = 120;
/** Turn by turn: a machine that is slow for a while is slow for both. */
const TURNS = 10;
const TOKEN = "token-of-the-hub";

/** Intake of heartbeats: the hub as it ships, beside a bare web server that answers the same bodies. */
export async function benchHeartbeats({ nests, seconds, print, tell }: HeartbeatBench): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "nest-bench-heartbeats-"));
  const secret = randomBytes(32).toString("hex");
  const codeHost = await startLocalCodeHost({
    dataDir: join(folder, "codehost"),
    clock: systemClock(),
    seed: {
      organisations: [],
      tokens: { [TOKEN]: "hub" },
      repositories: [{ owner: "acme", name: "one", description: "", files: {}, issues: [] }],
    },
  });
  tell("starting");
  const hub = await HubHere.start(
    join(folder, "hub"),
    { apiUrl: codeHost.apiUrl, token: TOKEN },
    { NEST_HUB_SECRET: secret },
  );
  const file = fileURLToPath(new URL("./bare-server.ts", import.meta.url));
  const bare = await startServer({ file, environment: {} });
  const { host, port } = bare.place;
  const ours = new FleetOfNests({ name: "hub", url: hub.url, secret }, nests);
  const floor = new FleetOfNests({ name: "bare node:http", url: `http://${host}:${port}`, secret }, nests);
  try {
    for (const fleet of [ours, floor]) await fleet.warmUp();
    const rate = (nests / REAL_PERIOD_S) * TIMES_THE_REAL_RATE;
    const [used, stolen] = [{ hub: 0, floor: 0 }, stolenSeconds() ?? 0];
    for (let turn = 0; turn < TURNS; turn += 1) {
      tell(`turn ${turn + 1} of ${TURNS}`);
      used.hub += await cpuOf(hub.pid, () => ours.beatAt(rate, seconds / TURNS));
      used.floor += await cpuOf(bare.pid, () => floor.beatAt(rate, seconds / TURNS));
    }
    print(report({ ours, floor, nests, rate, seconds, used, stolen: (stolenSeconds() ?? 0) - stolen }));
  } finally {
    for (const fleet of [ours, floor]) fleet.close();
    await Promise.all([hub.stop(), endProcess(bare.child), codeHost.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

interface Figures {
  readonly ours: FleetOfNests;
  readonly floor: FleetOfNests;
  readonly nests: number;
  readonly rate: number;
  readonly seconds: number;
  readonly used: { readonly hub: number; readonly floor: number };
  readonly stolen: number;
}

function report({ ours, floor, nests, rate, seconds, used, stolen }: Figures): string {
  const [hub, bare] = [ours.samples.sum(), floor.samples.sum()];
  const row = (name: string, sum: typeof hub, cpu: number, odd: number) => [
    name,
    short(sum.count),
    ...[sum.p50, sum.p99, sum.p999].map(short),
    `${Math.round((cpu / seconds) * 100)} %`,
    String(odd),
  ];
  const what = `${nests} nests, ${Math.round(rate)} beats a second, ${ours.bytes} bytes each`;
  const ratio = (percentile: "p50" | "p99") =>
    ratioLine(
      `${percentile} of a heartbeat`,
      { name: "hub", value: hub[percentile] },
      { name: "bare node:http", value: bare[percentile] },
    );
  return [
    table(
      [what, "beats", "p50 ms", "p99 ms", "p99.9 ms", "processor", "not answered 200"],
      [row("hub", hub, used.hub, ours.odd), row("bare node:http", bare, used.floor, floor.odd)],
    ),
    ratio("p50"),
    ratio("p99"),
    ...(stolen / (2 * seconds) >= 0.01 ? [`the host took ${short(stolen)} s of the processors meanwhile`] : []),
  ].join("\n");
}

async function cpuOf(pid: number, act: () => Promise<void>): Promise<number> {
  const before = cpuSeconds(pid) ?? Number.NaN;
  await act();
  return (cpuSeconds(pid) ?? Number.NaN) - before;
}
