import { seededRandom, systemClock } from "@nest/kit";
import { startLocalCodeHost } from "@nest/local-codehost";
import { expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { HardRelay } from "../harness/hard-relay.ts";
import { HubProcess, UNLIMITED } from "../harness/hub-process.ts";
import { plainSeed } from "../harness/plain-seed.ts";
import { judge } from "../harness/relay-history.ts";

/** More of both by hand: NEST_TEST_CONTRIBUTORS=250 NEST_TEST_SECONDS=600. */
const CONTRIBUTORS = Number(process.env.NEST_TEST_CONTRIBUTORS ?? 25);
const SECONDS = Number(process.env.NEST_TEST_SECONDS ?? 15);
const SESSIONS = ["laptop", "desk", "desk-2", "cluster"];
const TOKEN = "hub-token-of-the-test";
/** A lease lasts a minute, and an issue whose relay was dropped is kept for it for 20 s. */
const CLOCK_SCALE = 30;
/** Each relay loses its network about every eight seconds. */
const DROP_EVERY_MS = 8000;
const ISSUES_A_RELAY = 30;

test(
  `${CONTRIBUTORS} contributors with four sessions each, which drop at random, lose no task and displace no socket`,
  async () => {
    await using folder = await FolderHere.make("many-sessions");
    const clock = systemClock();
    const count = CONTRIBUTORS * SESSIONS.length;
    const repositories = ["acme/one", "acme/two"];
    const codeHost = await startLocalCodeHost({
      dataDir: folder.in("codehost"),
      seed: plainSeed(TOKEN, repositories, (count * ISSUES_A_RELAY) / repositories.length),
      clock,
    });
    await using hub = await HubProcess.start({
      folder: folder.in("hub"),
      apiUrl: codeHost.apiUrl,
      repos: repositories,
      token: TOKEN,
      contribute: UNLIMITED,
      clockScale: CLOCK_SCALE,
      evalIntervalS: 86_400,
    });
    await hub.refresh();
    const members = [];
    for (let at = 0; at < CONTRIBUTORS; at += 1) members.push(await hub.register(`many-${at}`));
    const random = seededRandom(11);
    const relays = members.flatMap(({ registration_token: token }, at) =>
      SESSIONS.map((session, nth) => {
        const own = seededRandom(at * SESSIONS.length + nth);
        return new HardRelay({ socket: () => hub.socket, token, clock, random: own, boot: () => 1, session });
      }),
    );
    let drops = 0;
    const cancel = clock.every(DROP_EVERY_MS / count, () => {
      relays[Math.floor(random.fraction() * relays.length)]?.drop();
      drops += 1;
    });
    try {
      await clock.sleep(SECONDS * 1000);
      cancel();
      for (const relay of relays) relay.finish();
      await expect.poll(() => relays.filter((relay) => !relay.isIdle).length, { timeout: 60_000 }).toBe(0);
    } finally {
      cancel();
      for (const relay of relays) relay.stop();
    }
    const judgement = judge(relays.map(({ history }) => history));
    console.log(
      `${count} relays, ${drops} drops: ${judgement.assignments} tasks, ${judgement.resumes} resumed, ${judgement.broken.length} faults`,
    );
    expect(judgement.broken).toEqual([]);
    expect(relays.flatMap(({ closedByHub }) => closedByHub)).toEqual([]);
    expect(judgement.resumes).toBeGreaterThan(count / 2);
    const counted = new Map((await hub.contributors()).map((row) => [row.contributor_id, row.total_tasks_completed]));
    const completed = members.map((_, at) =>
      judgement.completed.slice(at * SESSIONS.length, (at + 1) * SESSIONS.length).reduce((sum, one) => sum + one, 0),
    );
    expect(members.map(({ contributor_id }) => counted.get(contributor_id))).toEqual(completed);
    await codeHost.close();
  },
  120_000 + SECONDS * 1000,
);
