import { execFile } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isChromiumMissing, pictureFor, pictureTime } from "../harness/chromium.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { hubInBrowser } from "../harness/hub-in-browser.ts";

const missing = isChromiumMissing("a restored hub in a browser");
const COMMAND = join(import.meta.dirname, "../../bin/nest-backup");
const METRICS = "backup.prom";
const NOTE = ".restored-from.json";
const MINUTE = 60_000;
const run = promisify(execFile);

/** The last story of an operator's shift: the disk is lost, and the hub comes back from last night's archive. */
describe.skipIf(missing)("a hub that was restored", { timeout: 90_000 }, () => {
  let elsewhere: FolderHere;
  beforeAll(async () => {
    elsewhere = await FolderHere.make("lost-disk");
  });
  afterAll(() => elsewhere?.[Symbol.asyncDispose]());
  const at = hubInBrowser(() => ({
    issues: 4,
    ...pictureTime,
    config: { databaseUrl: undefined, backupMetricsFile: elsewhere.in(METRICS) },
  }));

  const backup = (...words: string[]) =>
    run(COMMAND, words, {
      env: {
        PATH: process.env.PATH ?? "",
        NEST_BACKUP_KEY: "c0ffee00".repeat(8),
        NEST_BACKUP_DATA_DIR: at.hub.folder,
        NEST_BACKUP_BUCKET: `file://${elsewhere.in("bucket")}`,
        NEST_BACKUP_METRICS_FILE: elsewhere.in(METRICS),
      },
    });
  const hold = (number: number) =>
    at.hub.admin("POST", "/api/contribute/queue/hold", { key: `acme/one#${number}`, held: true, reason: "wait" });
  async function pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) await at.hub.clock.advance(MINUTE);
  }

  test("says from what, what is lost, and where the audit has it, until a backup of it has succeeded", async () => {
    await hold(1);
    await backup("run", "-skip-secrets", "-skip-spokes");
    const archive = (await readdir(elsewhere.in("bucket"))).find((name) => /^nest-hub.*enc$/.test(name)) ?? "";
    await hold(2);
    await at.hub.hub.stop();
    for (const name of await readdir(at.hub.folder)) await rm(join(at.hub.folder, name), { recursive: true });
    await backup("restore", "-name", archive, "-dest", at.hub.folder);
    const note = await readFile(join(at.hub.folder, NOTE), "utf8");
    await at.hub.boot();
    expect(await readdir(at.hub.folder)).not.toContain(NOTE);
    await pass(2);

    const { page, context, faults } = await at.open("/operations");
    const wrong = page.locator("#wrong");
    await wrong.getByText("The hub was restored from a backup").waitFor();
    expect(await wrong.textContent()).toContain(archive);
    await pictureFor(page, "shift-restored");
    expect([await at.hub.withheld(1), await at.hub.withheld(2)]).toEqual([expect.anything(), undefined]);
    await wrong.getByRole("link", { name: "The restore in the audit" }).click();
    const line = page.locator(".audit-row").first();
    await line.getByText("restored the hub from").waitFor();
    expect(await line.textContent()).toContain(archive);
    expect(await page.locator(".audit-row").count()).toBe(1);

    expect(faults).toEqual([]);
    // As if it had been killed before it removed the note.
    await at.hub.hub.stop();
    await writeFile(join(at.hub.folder, NOTE), note);
    await at.hub.boot();
    expect(await restores()).toBe(1);
    await backup("run", "-skip-secrets", "-skip-spokes");
    await pass(8);
    await page.goto(`${at.hub.url}/operations`);
    await page.getByText("acme/one#2").first().waitFor();
    expect(await page.locator("#wrong").count()).toBe(0);
    await context.close();
  });

  async function restores(): Promise<number> {
    const { body } = await at.hub.admin("GET", "/api/audit?action=hub%20restored");
    return JSON.stringify(body).split('"hub restored"').length - 1;
  }
});
