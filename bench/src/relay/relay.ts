import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@nest/kit";
import { startLocalCodeHost } from "@nest/local-codehost";
import { ScriptedHub } from "../../../relay/src/testing/scripted-hub.ts";
import { bundle } from "../../../scripts/bundle.ts";
import { HubHere } from "../process/hub-here.ts";
import { OneRelay } from "./one-relay.ts";

export interface RelayBench {
  readonly relays: number;
  readonly seconds: number;
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

const STARTS = 5;
const TOKEN = "a".repeat(64);
/** Starting relays is work for this machine's processors, not for the hub: so many at once. */
const AT_ONCE = 4;

/** The bundled relay alone, and many of them on this machine against one hub. */
export async function benchRelay({ relays, seconds, print, tell }: RelayBench): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "nest-bench-relay-"));
  try {
    tell("bundling");
    const { relay: program } = await bundle(join(folder, "dist"));
    await alone(program, folder, { relays, seconds, print, tell });
    await together(program, folder, { relays, seconds, print, tell });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function alone(program: string, folder: string, { seconds, print, tell }: RelayBench): Promise<void> {
  const hub = await ScriptedHub.start();
  try {
    const starts: number[] = [];
    for (let nth = 0; nth < STARTS; nth += 1) {
      tell(`start ${nth + 1} of ${STARTS}`);
      const home = join(folder, `alone-${nth}`);
      const relay = await OneRelay.start({ program, home, hub: hub.address, token: TOKEN });
      const visit = await hub.visit();
      await visit.next("ready");
      starts.push(performance.now() - relay.startedAt);
      if (nth === STARTS - 1) {
        visit.say({ type: "task_unavailable", reason: "no_matching_work" });
        tell(`at rest for ${seconds} s`);
        await sleep(2000);
        const before = await relay.processorSeconds();
        await sleep(seconds * 1000);
        const { resident } = await relay.memory();
        const used = ((await relay.processorSeconds()) - before) / seconds;
        print(`at rest: ${resident.toFixed(1)} MiB resident, ${(used * 100).toFixed(2)} % of a processor`);
      }
      await relay.stop();
    }
    starts.sort((a, b) => a - b);
    print(`start to ready, a probe of 2 ms included: median ${Math.round(starts[2] ?? 0)} ms of ${STARTS}`);
  } finally {
    await hub.stop();
  }
}

async function together(program: string, folder: string, options: RelayBench): Promise<void> {
  const { relays: count, seconds, print, tell } = options;
  const codeHost = await codeHostWith(count, join(folder, "codehost"));
  const hub = await HubHere.start(join(folder, "hub"), { apiUrl: codeHost.apiUrl, token: "token-of-hub" });
  const running: OneRelay[] = [];
  try {
    const begun = performance.now();
    const left = Array.from({ length: count }, (_, nth) => nth);
    const worker = async () => {
      for (let nth = left.shift(); nth !== undefined; nth = left.shift()) {
        const who = { github_username: `worker-${nth}` };
        const made = await hub.call<{ registration_token: string }>("POST", "/api/contribute/register", who);
        const token = made.registration_token;
        running.push(await OneRelay.start({ program, home: join(folder, `r${nth}`), hub: hub.socket, token }));
        while ((await hub.connected()) < running.length - AT_ONCE) await sleep(20);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    while ((await hub.connected()) < count) await sleep(50);
    print(`${count} relays connected in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    await restTogether(running, seconds, print, tell);
    await workTogether(hub, count, print, tell);
  } finally {
    tell("stopping");
    await Promise.all(running.map((relay) => relay.stop()));
    await hub.stop();
    await codeHost.close();
  }
}

async function restTogether(
  relays: readonly OneRelay[],
  seconds: number,
  print: RelayBench["print"],
  tell: RelayBench["tell"],
): Promise<void> {
  tell(`${relays.length} at rest for ${seconds} s`);
  await sleep(2000);
  const used = async () =>
    (await Promise.all(relays.map((relay) => relay.processorSeconds()))).reduce((sum, one) => sum + one, 0);
  const before = await used();
  await sleep(seconds * 1000);
  const share = (((await used()) - before) / seconds / relays.length) * 100;
  const memory = await Promise.all(relays.map((relay) => relay.memory()));
  const mean = (of: (one: { resident: number; proportional: number }) => number) =>
    (memory.reduce((sum, one) => sum + of(one), 0) / memory.length).toFixed(1);
  print(
    `each at rest: ${mean((one) => one.resident)} MiB resident (${mean((one) => one.proportional)} MiB with shared pages counted once), ${share.toFixed(3)} % of a processor`,
  );
}

/** Work is let in, and every relay does one task. */
async function workTogether(
  hub: HubHere,
  count: number,
  print: RelayBench["print"],
  tell: RelayBench["tell"],
): Promise<void> {
  tell(`${count} tasks`);
  const begun = performance.now();
  await hub.call("PUT", "/api/config/governor/hub", { contribute_suspended: false });
  let done = 0;
  while (done < count) {
    await sleep(100);
    const { contributors } = await hub.call<{ contributors: readonly { total_tasks_completed: number }[] }>(
      "GET",
      "/api/contributors?limit=500",
    );
    done = contributors.reduce((sum, one) => sum + one.total_tasks_completed, 0);
    if (performance.now() - begun > 120_000) throw new Error(`only ${done} of ${count} tasks were done in 2 minutes`);
  }
  print(
    `${count} tasks, assigned to acknowledged with an agent each, in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
  );
}

function codeHostWith(issues: number, dataDir: string) {
  return startLocalCodeHost({
    dataDir,
    clock: systemClock(),
    seed: {
      organisations: ["acme"],
      tokens: { "token-of-hub": "acme-nest" },
      repositories: [
        {
          owner: "acme",
          name: "one",
          files: { "README.md": "# One\n" },
          issues: Array.from({ length: issues }, (_, nth) => ({
            title: `Issue ${nth + 1}`,
            body: "One more sentence.",
            author: "bob",
            labels: [],
          })),
        },
      ],
    },
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
