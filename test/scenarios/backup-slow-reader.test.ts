import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ProcessHere } from "../harness/process-here.ts";

const MIB = 1024 * 1024;
const OWNER = { "x-nest-user": "ada", "x-nest-role": "owner" };

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nest-slow-reader-"));
  writeFileSync(
    join(home, "nest.yaml"),
    JSON.stringify({
      project: { org: "acme", repos: ["one"] },
      github: { token: "t" },
      dashboard: { hub_proxied: true },
    }),
  );
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function download(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(`${url}/api/backup`, { method: "POST", headers: OWNER }, resolve).on("error", reject).end();
  });
}

async function readToItsEnd(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const piece of answer) bytes += (piece as Buffer).length;
  return bytes;
}

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

/** Waits until the process has stopped reading: it has done all it can while nobody takes its output. */
async function untilItRests(pid: number): Promise<void> {
  const bytesRead = () => /^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1];
  let before = bytesRead();
  for (let same = 0; same < 10; ) {
    await sleep(50);
    const now = bytesRead();
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

test("a client that requests a backup of 200 MiB and reads none of it costs the nest almost no memory", {
  timeout: 120_000,
}, async () => {
  const data = join(home, "data");
  mkdirSync(join(data, "beads/scanner"), { recursive: true });
  const add = (name: string, bytes: number) => writeFileSync(join(data, "beads/scanner", name), randomBytes(bytes));
  for (let number = 0; number < 3; number += 1) add(`first-${number}`, 5 * MIB);
  await using spoke = new ProcessHere("nest", ["spoke"], {
    NEST_DATA_DIR: data,
    NEST_CONFIG: join(home, "nest.yaml"),
    NEST_BACKUP_KEY: "0badcafe".repeat(8),
    NEST_SPOKE_DASHBOARD_PORT: "0",
    NEST_SPOKE_TERMINAL_PORT: "0",
  });
  const [, url = ""] = await spoke.says(/nest-spoke listening on (\S+)/);
  // A first small backup, so that memory which every backup needs is not counted.
  for (let count = 0; count < 3; count += 1) await readToItsEnd(await download(url));
  for (let number = 0; number < 40; number += 1) add(`large-${number}`, 5 * MIB);

  const before = residentBytes(spoke.pid);
  const answer = await download(url);
  await untilItRests(spoke.pid);
  expect((residentBytes(spoke.pid) - before) / MIB).toBeLessThan(16);
  expect(await readToItsEnd(answer)).toBeGreaterThan(210 * MIB);
  expect((residentBytes(spoke.pid) - before) / MIB).toBeLessThan(64);
});
