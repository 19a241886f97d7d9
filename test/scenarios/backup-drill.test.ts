import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresTool } from "@nest/backup/testing";
import { Secret } from "@nest/kit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { FakeApiServer } from "../fakes/kubernetes/api-server.ts";
import { TestHub } from "../harness/hub.ts";
import { RawRelay } from "../harness/raw-relay.ts";
import { RealPostgres } from "../real-postgres/real-postgres.ts";

const KEY = "c0ffee00".repeat(8);
const COMMAND = new URL("../../bin/nest-backup", import.meta.url).pathname;
const SECRETS = ["nest-hub-secrets", "objstore-api-key", "nest-hub-kubeconfigs", "nest-hub-tls"];

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nest-drill-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The command as an operator runs it: a process of its own. */
function backup(
  environment: Record<string, string>,
  ...words: string[]
): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: process.env.PATH ?? "", HOME: home, NEST_BACKUP_KEY: KEY, ...environment };
  return new Promise((resolve) => {
    const child = execFile(COMMAND, words, { env }, (_, out, err) => resolve({ code: child.exitCode ?? -1, out, err }));
  });
}

/** A container whose shell runs here, on a folder of ours. */
function containerOn(folder: string) {
  return (run: { command: readonly string[]; stdout(bytes: Buffer): void; exit(code: number): void }) => {
    const [file = "", ...args] = run.command;
    const env = { PATH: process.env.PATH ?? "", NEST_DATA_DIR: folder };
    const child: ChildProcess = spawn(file, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    child.stdout?.on("data", (piece: Buffer) => run.stdout(piece));
    child.on("close", (code) => run.exit(code ?? 1));
  };
}

/** What people and relays see of a hub. */
async function answersOf(hub: TestHub): Promise<unknown> {
  const asked = ["/api/contribute/queue", "/api/contribute/activity", "/api/leaderboard"];
  const answers = await Promise.all(asked.map(async (path) => [path, (await hub.call("GET", path)).body]));
  const contributors = (await hub.admin("GET", "/api/contributors")).body;
  return { contributors, actionable: await hub.actionable(), ...Object.fromEntries(answers) };
}

type Storage = "sqlite" | "postgresql";

let postgres: RealPostgres | undefined;
beforeAll(async () => {
  postgres = await RealPostgres.startIfPossible();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

/** A new database of that kind, as a hub's configuration and as the command's environment name it. */
async function databaseOn(engine: Storage) {
  const url = engine === "sqlite" ? undefined : await postgres?.database();
  const environment: Record<string, string> = url === undefined ? {} : { NEST_DATABASE_URL: url };
  return { config: { databaseUrl: url === undefined ? undefined : new Secret(url) }, environment, url };
}

const DRILLS: readonly { from: Storage; to: Storage; into: string }[] = [
  { from: "sqlite", to: "sqlite", into: "an empty machine" },
  { from: "sqlite", to: "postgresql", into: "an empty database" },
  { from: "sqlite", to: "postgresql", into: "the tables of a hub that never worked" },
  { from: "postgresql", to: "sqlite", into: "an empty machine" },
  { from: "postgresql", to: "postgresql", into: "an empty database" },
  { from: "postgresql", to: "postgresql", into: "the tables of a hub that never worked" },
];

test.for(DRILLS)(
  "the restore drill: the archive of a hub on $from, restored on $to into $into, makes a hub that answers the same",
  { timeout: 90_000 },
  async ({ from, to, into }, { skip }) => {
    if (postgres === undefined && (from !== "sqlite" || to !== "sqlite")) return skip();
    const before = await databaseOn(from);
    const after = await databaseOn(to);
    const hub = await TestHub.start({ issues: 6, config: before.config });
    const ada = await hub.relay("ada");
    await hub.register("grace");
    const done = await ada.ready();
    ada.send({ type: "task_accepted", task_id: done.task_id, task_gen: done.task_gen });
    ada.send({ type: "task_complete", task_id: done.task_id, task_gen: done.task_gen, verdict: "idle" });
    await ada.next("task_ack");
    const held = await ada.ready();
    ada.send({ type: "task_accepted", task_id: held.task_id, task_gen: held.task_gen });
    ada.socket.close();
    await ada.closed;
    // That she left is booked too, once she has stayed away for a minute.
    await expect.poll(() => hub.hub.gateway.connected).toBe(0);
    await hub.clock.advance(60_000);
    await expect
      .poll(async () => JSON.stringify((await hub.call("GET", "/api/contribute/activity")).body))
      .toContain('"left"');
    const at = (path: string) => join(hub.folder, path);
    mkdirSync(at("saas/users"), { recursive: true });
    writeFileSync(at("saas/hmac.key"), Buffer.alloc(32, 9));
    writeFileSync(at("saas/users/ada.json"), '{"login":"ada"}');
    mkdirSync(at("saas/nests/hosted-one"), { recursive: true });
    writeFileSync(at("saas/nests/hosted-one/meta.json"), '{"id":"one","cluster_id":"home","status":""}');
    writeFileSync(at("hub-registry.json"), '{"nests":[{"id":"one","cluster_id":"home"}]}');
    writeFileSync(at("clusters.json"), '[{"id":"home","in_cluster":true}]');
    const spokeA = join(home, "spoke-a");
    mkdirSync(spokeA);
    writeFileSync(join(spokeA, "nest.yaml.dashboard"), "project: {}\n");
    writeFileSync(join(spokeA, "nest.yaml.runtime"), "project: {org: acme}\n");
    writeFileSync(join(spokeA, "nest-id"), "one\n");
    await using cluster = await FakeApiServer.start();
    for (const name of SECRETS) cluster.addSecret("nest-hub", name, { value: "eA==" });
    cluster.addPod("nest-hosted-one", "nest-0", "Running", containerOn(spokeA));
    const answers = await answersOf(hub);

    // The nightly run, while the hub serves.
    const bucket = { NEST_BACKUP_BUCKET: `file://${join(home, "bucket")}`, NEST_HUB_ID: "drill" };
    const onTheHub = {
      ...bucket,
      ...before.environment,
      NEST_BACKUP_DATA_DIR: hub.folder,
      KUBECONFIG: cluster.kubeconfig,
    };
    const made = await backup(onTheHub, "run", "-json");
    expect([made.code, made.err]).toEqual([0, ""]);
    expect(JSON.parse(made.out)).toMatchObject({ spokes: 1, secrets: 4 });
    expect(
      cluster.calls.filter((call) => !/^GET .*(secrets\/[a-z-]+|pods)$|^EXEC .*\/exec (websocket|spdy)$/.test(call)),
    ).toEqual([]);
    const archive = join(home, "bucket", JSON.parse(made.out).dest as string);

    // The machine is lost, its database with it; on the new one there are the archive and the key.
    await hub[Symbol.asyncDispose]();
    const empty = await TestHub.start({ issues: 6, config: after.config });
    await empty.hub.stop();
    for (const name of readdirSync(empty.folder)) rmSync(join(empty.folder, name), { recursive: true });
    if (after.url !== undefined && into === "an empty database") {
      await using tool = await postgresTool(after.url);
      await tool.run("drop schema public cascade; create schema public");
    }
    expect((await backup({}, "verify", "-file", archive)).out).toContain("archive OK:");
    const restored = await backup(after.environment, "restore", "-file", archive, "-dest", empty.folder);
    expect([restored.code, restored.err]).toEqual([0, ""]);
    await empty.boot();
    await using second = empty;
    expect(await answersOf(second)).toEqual(answers);
    expect(readFileSync(join(second.folder, "saas/hmac.key"))).toEqual(Buffer.alloc(32, 9));

    // Ada's token still opens the hub, and the task that she had is still hers.
    const again = await RawRelay.join(second.socket, ada.token);
    const same = { task_id: held.task_id, task_gen: held.task_gen };
    again.send({ type: "task_accepted", ...same });
    again.send({
      type: "task_progress",
      ...same,
      kind: "issue",
      repo: held.repo,
      number: held.number,
      title: "x",
      status: "working",
    });
    expect(await again.pending("task_revoke")).toEqual([]);
    again.send({ type: "task_complete", ...same, verdict: "idle" });
    expect(await again.next("task_ack")).toMatchObject({ task_id: held.task_id });
    again.socket.close();

    // The spoke comes back from the same archive.
    const spokeB = join(home, "spoke-b");
    expect((await backup({}, "restore", "-file", archive, "-dest", spokeB, "-spoke", "one")).code).toBe(0);
    expect(readFileSync(join(spokeB, "nest.yaml.runtime"), "utf8")).toBe("project: {org: acme}\n");
  },
);
