import type { contribute } from "@nest/protocol";
import { expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { ProcessHere, processesAbout } from "../harness/process-here.ts";
import { taken, UpHere } from "../harness/up-here.ts";

const READY = /^Nest is running\.$/m;

/** Ctrl-C, and how long it took. */
async function interrupt(running: ProcessHere): Promise<{ code: number | null; tookMs: number }> {
  const started = performance.now();
  running.signal("SIGINT");
  const { code } = await running.ended;
  return { code, tookMs: performance.now() - started };
}

test("one command turns issues into verified pull requests; stopped and started again, it goes on where it was", async () => {
  await using folder = await FolderHere.make("up");
  const up = await UpHere.make(folder.path);

  await using first = up.start();
  await first.says(READY);
  expect(first.output).toContain(up.hubUrl);
  expect(first.output).toContain(up.spokeUrl);
  const page = await fetch(up.hubUrl);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Issues becoming pull requests")]);
  expect((await fetch(up.spokeUrl)).status).toBe(200);
  expect(await (await fetch(`${up.spokeUrl}/api/health`)).json()).toEqual({ status: "ok" });
  const named = [...first.output.matchAll(/http:\/\/\S+/g)].map(([address]) => address);
  expect(named.length).toBeGreaterThanOrEqual(4);
  for (const address of named) {
    const shown = await fetch(address, { headers: { accept: "text/html" } });
    expect([address, shown.status, shown.headers.get("content-type")]).toEqual([
      address,
      200,
      expect.stringContaining("html"),
    ]);
  }

  await expect.poll(() => up.verified().then((urls) => urls.length), { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
  expect(first.output).toMatch(/opened http/);
  const [firstTaken = ""] = taken(first.output);
  await expect.poll(() => up.claimed(), { timeout: 30_000 }).toContain(firstTaken);
  const [contributor, verified] = [await up.contributor(), await up.verified()];
  const stopped = await interrupt(first);
  expect(stopped.code, first.said).toBe(0);
  expect(stopped.tookMs).toBeLessThan(15_000);
  await expect.poll(() => processesAbout(folder.path), { timeout: 5000 }).toEqual([]);
  const finished = new Set([...first.output.matchAll(/ finished (\S+#\d+)/g)].map(([, key = ""]) => key));

  await using second = up.start();
  await second.says(READY);
  await second.says(/ took /);
  expect(await up.contributor()).toEqual(contributor);
  expect((await up.read<contribute.StatusReply>("/api/contribute/status")).total_registered).toBe(1);
  expect(await up.verified()).toEqual(expect.arrayContaining(verified));
  await second.says(/and the hub verified it/);
  expect((await interrupt(second)).code, second.said).toBe(0);
  expect(taken(second.output).filter((key) => finished.has(key))).toEqual([]);
  await expect.poll(() => processesAbout(folder.path), { timeout: 5000 }).toEqual([]);
}, 120_000);

test.each<[readonly string[], RegExp]>([
  [["-colour", "red"], /^nest up: error: unknown flag -colour$/m],
  [["-hub-port", "many"], /^nest up: error: .*hub-port/m],
  [["-hub-port", "70000"], /^nest up: error: -hub-port: 70000 is no port$/m],
  [["everything"], /^nest up: error: unknown argument everything$/m],
  [["-repo", "no-slash"], /^nest up: error: -repo: "no-slash" is not owner\/name$/m],
  [["-repo", "acme/one"], /^nest up: error: GITHUB_TOKEN: is needed with -repo$/m],
  [["-login", "ada"], /^nest up: error: -login needs -repo owner\/name$/m],
])("nest up %j is refused with what is wrong, and nothing is started", async (flags, line) => {
  await using folder = await FolderHere.make("up");
  await using refused = new ProcessHere("nest", ["up", "-data", folder.in("data"), ...flags], { HOME: folder.path });
  expect(await refused.ended).toMatchObject({ code: 2 });
  expect(refused.output).toBe("");
  expect(refused.said).toMatch(line);
  expect(refused.said).not.toMatch(/^\s+at /m);
});

test("nest up -h prints its usage on standard output", async () => {
  await using help = new ProcessHere("nest", ["up", "-h"], {});
  expect(await help.ended).toMatchObject({ code: 0 });
  expect(help.output).toMatch(/^usage: nest up/);
});
