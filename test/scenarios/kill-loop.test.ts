import { type Random, seededRandom, systemClock } from "@nest/kit";
import { startLocalCodeHost } from "@nest/local-codehost";
import { describe, expect, test } from "vitest";
import { FolderHere, freePorts } from "../harness/folder-here.ts";
import { type Event, HardRelay, type Held } from "../harness/hard-relay.ts";
import { HubProcess, UNLIMITED } from "../harness/hub-process.ts";
import { plainSeed } from "../harness/plain-seed.ts";
import { judge } from "../harness/relay-history.ts";

const KILLS = 50;
const RELAYS = 20;
const REPOSITORIES = ["acme/one", "acme/two"];
const ISSUES_EACH = 200;
/** A lease lasts a minute, longer than any relay is ever kept away; a hold 20 s, so that issues come round again. */
const CLOCK_SCALE = 30;
const TOKEN = "hub-token-of-the-kill-loop";

/** Kills the hub at a random moment: mostly while it serves, every fifth time while it starts. */
async function killOnce(hub: HubProcess, nth: number, areBack: () => boolean, random: Random): Promise<void> {
  const clock = systemClock();
  if (nth % 5 === 4) await clock.sleep(random.fraction() * 400);
  else {
    await hub.ready();
    await expect.poll(areBack, { timeout: 20_000, interval: 5 }).toBe(true);
    await clock.sleep(random.fraction() * 350);
  }
  await hub.kill();
  hub.startAgain();
}

test("a hub that is killed again and again hands nothing out twice, forgets nothing and counts everything once", async () => {
  await using folder = await FolderHere.make("kill-loop");
  const clock = systemClock();
  const codeHost = await startLocalCodeHost({
    dataDir: folder.in("codehost"),
    seed: plainSeed(TOKEN, REPOSITORIES, ISSUES_EACH),
    clock,
  });
  const [port = 0] = await freePorts(1);
  await using hub = await HubProcess.start({
    folder: folder.in("hub"),
    apiUrl: codeHost.apiUrl,
    repos: REPOSITORIES,
    token: TOKEN,
    contribute: UNLIMITED,
    clockScale: CLOCK_SCALE,
    port,
  });
  await hub.refresh();
  let boot = 1;
  const random = seededRandom(7);
  const members = await Promise.all(Array.from({ length: RELAYS }, (_, at) => hub.register(`relay-${at}`)));
  const relays = members.map(
    ({ registration_token: token }, at) =>
      new HardRelay({ socket: () => hub.socket, token, clock, random: seededRandom(at), boot: () => boot }),
  );
  try {
    for (let nth = 0; nth < KILLS; nth += 1) {
      const areBack = () => relays.filter((relay) => relay.isBack(boot)).length >= RELAYS / 2;
      await killOnce(hub, nth, areBack, random);
      boot += 1;
    }
    await hub.ready();
    for (const relay of relays) relay.finish();
    await expect.poll(() => relays.filter((relay) => !relay.isIdle).length, { timeout: 20_000 }).toBe(0);
  } finally {
    for (const relay of relays) relay.stop();
  }
  const judgement = judge(relays.map(({ history }) => history));
  expect(judgement.broken).toEqual([]);
  expect(judgement.assignments).toBeGreaterThan(100);
  expect(judgement.resumes).toBeGreaterThan(RELAYS);
  const counted = new Map((await hub.contributors()).map((row) => [row.contributor_id, row.total_tasks_completed]));
  expect(members.map(({ contributor_id }) => counted.get(contributor_id))).toEqual(judgement.completed);
  await codeHost.close();
}, 240_000);

describe("the checker of relays' histories", () => {
  const held = (task_gen: number, number = 1): Held => ({
    task_id: `t-${task_gen}`,
    task_gen,
    repo: "acme/one",
    number,
  });
  const assigned = (at: number, task: Held, boot = 1): Event => ({ kind: "assigned", at, boot, task });
  const ended = (at: number, task: Held): Event => ({ kind: "ended", at, task, how: "completed" });
  const [first, second] = [held(1), held(2)];

  test("accepts assignments that follow one after the other", () => {
    const histories = [[assigned(1, first), ended(5, first)], [assigned(6, second)]];
    expect(judge(histories).broken).toEqual([]);
  });

  test.each<[string, Event[][], RegExp]>([
    ["an issue held twice", [[assigned(1, first), ended(5, first)], [assigned(4, second)]], /two live assignments/],
    ["a generation that falls", [[assigned(1, second), ended(2, second)], [assigned(3, first)]], /did not rise/],
    ["a generation used again", [[assigned(1, first)], [assigned(1, held(1, 2))]], /given twice/],
    ["a boot that goes back", [[assigned(1, second)], [assigned(2, held(1, 2), 2)]], /went back/],
    ["a lease that is lost", [[{ kind: "revoked", at: 1, taskId: "t-1", reason: "gone" }]], /lost t-1: gone/],
  ])("sees %s", (_what, histories, sentence) => {
    expect(judge(histories).broken.join("\n")).toMatch(sentence);
  });
});
