import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureBeside } from "../paced/beside.ts";
import { PacedCalls } from "../paced/paced-calls.ts";
import { endProcess, startServer } from "../process/child.ts";
import { startEmptyCodeHost } from "../process/code-host-here.ts";
import { HubHere } from "../process/hub-here.ts";
import { beatCalls } from "./beat-calls.ts";

export interface HeartbeatBench {
  readonly nests: number;
  readonly seconds: number;
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

/** A nest beats every two minutes; these beat a hundred times as often. */
const TIMES_THE_REAL_RATE = 100;
const REAL_PERIOD_S = 120;

/** Intake of heartbeats: the hub as it ships, beside a bare web server that answers the same bodies. */
export async function benchHeartbeats({ nests, seconds, print, tell }: HeartbeatBench): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "nest-bench-heartbeats-"));
  const secret = randomBytes(32).toString("hex");
  const { codeHost, code } = await startEmptyCodeHost(join(folder, "codehost"));
  tell("starting");
  const hub = await HubHere.start(join(folder, "hub"), code, { NEST_HUB_SECRET: secret });
  const file = fileURLToPath(new URL("../paced/bare-server.ts", import.meta.url));
  const bare = await startServer({ file, environment: {} });
  const { host, port } = bare.place;
  const calls = beatCalls(nests, secret);
  const ours = { name: "hub", pid: hub.pid, calls: new PacedCalls(hub.url, calls) };
  const floor = { name: "bare node:http", pid: bare.pid, calls: new PacedCalls(`http://${host}:${port}`, calls) };
  try {
    const perSecond = (nests / REAL_PERIOD_S) * TIMES_THE_REAL_RATE;
    const what = `${nests} nests, ${Math.round(perSecond)} beats a second, ${calls[0]?.body?.length ?? 0} bytes each`;
    print(await measureBeside({ ours, floor, what, one: "a heartbeat", perSecond, seconds, tell }));
  } finally {
    for (const side of [ours, floor]) side.calls.close();
    await Promise.all([hub.stop(), endProcess(bare.child), codeHost.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}
