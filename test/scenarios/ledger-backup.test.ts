import { mkdir, writeFile } from "node:fs/promises";
import { Ledger } from "@nest/governor";
import { systemClock, systemRandom } from "@nest/kit";
import { expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { ProcessHere } from "../harness/process-here.ts";

const KEY = "0badcafe".repeat(8);
const OWNER = { "x-nest-user": "ada", "x-nest-role": "owner" };

test("a nest's backup that is made while agents write has their ledgers, and the restored ones go on", async () => {
  await using folder = await FolderHere.make("ledger-backup");
  const { HOME = folder.path } = process.env;
  const seed = { project: { org: "acme", repos: ["one"] }, github: { app_id: 7 }, dashboard: { hub_proxied: true } };
  await writeFile(folder.in("nest.yaml"), JSON.stringify(seed));
  await mkdir(folder.in("data/beads"), { recursive: true });
  await using spoke = new ProcessHere("nest", ["spoke"], {
    HOME,
    NEST_DATA_DIR: folder.in("data"),
    NEST_CONFIG: folder.in("nest.yaml"),
    NEST_SPOKE_DASHBOARD_PORT: "0",
    NEST_SPOKE_TERMINAL_PORT: "0",
  });
  const [, url = ""] = await spoke.says(/nest-spoke listening on (\S+)/);
  const headers = { ...OWNER, "content-type": "application/json" };
  const key = JSON.stringify({ encryptionKey: KEY, keyName: "escrowed" });
  expect((await fetch(`${url}/api/config/governor/backup`, { method: "PUT", headers, body: key })).status).toBe(200);

  await using scanner = await openLedger(folder.in("data/beads/scanner"));
  await using coder = await openLedger(folder.in("data/beads/coder"));
  const known: { readonly agent: string; readonly id: string }[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    for (const [agent, ledger] of [
      ["scanner", scanner],
      ["coder", coder],
    ] as const)
      known.push({ agent, id: (await ledger.create({ title: `turn ${turn}`, notes: "x".repeat(30_000) })).id });
    const before = [...known];
    const [download] = await Promise.all([
      fetch(`${url}/api/backup`, { method: "POST", headers: OWNER }).then(async (reply) =>
        Buffer.from(await reply.arrayBuffer()),
      ),
      scanner.compact(),
      coder.create({ title: "meanwhile" }),
    ]);
    const archive = folder.in(`nest-${turn}.archive`);
    await writeFile(archive, download);
    const restored = folder.in(`restored-${turn}`);
    await using restore = new ProcessHere("nest-backup", ["restore", "-file", archive, "-dest", restored], {
      HOME,
      NEST_BACKUP_KEY: KEY,
    });
    expect([(await restore.ended).code, restore.said]).toEqual([0, expect.anything()]);
    for (const { agent, id } of before) {
      await using ledger = await openLedger(`${restored}/beads/${agent}`);
      expect(ledger.show(id).id).toBe(id);
      await ledger.create({ title: "after the restore" });
    }
  }
});

function openLedger(path: string): Promise<Ledger> {
  return Ledger.open({ folder: path, actor: "dashboard", clock: systemClock(), random: systemRandom() });
}
