import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { of } from "../harness/raw-relay.ts";
import { SignedInHub } from "../harness/signed-in-hub.ts";

const BIN = join(import.meta.dirname, "../../bin/nest");
const CONFIG = "/api/config/governor/hub";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-hubctl-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface Done {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `nest hubctl` as a person does. */
function hubctl(scene: SignedInHub, token: string, ...args: readonly string[]): Promise<Done> {
  const environment = { PATH: process.env.PATH, HOME: folder, NEST_HUB_URL: scene.hub.url, NEST_HUB_TOKEN: token };
  return new Promise((resolve) => {
    execFile(BIN, ["hubctl", ...args], { env: environment }, (failed, out, err) =>
      resolve({ code: failed === null ? 0 : Number(failed.code), out, err }),
    );
  });
}

test("the queue: what is on offer, one issue, hold, lift and pin; a token of the scope read only looks", async () => {
  await using scene = await SignedInHub.start({ issues: 4 });
  const { token: read } = await scene.token("read");
  const { token } = await scene.token("operate");
  expect((await hubctl(scene, read, "queue", "list")).out).toMatch(/^ISSUE .*\nacme\/one#1 /);
  const refused = await hubctl(scene, read, "queue", "hold", "acme/one#1");
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("needs an API token of the scope operate") });
  const reason = `later: ${"the design is not decided yet, ".repeat(4)}ask ada`;
  await hubctl(scene, token, "queue", "hold", "acme/one#1", "acme/one#2", "-reason", reason, "-until", "2h");
  expect(scene.hub.withheld(2)).toBe("operator_hold");
  expect((await hubctl(scene, read, "queue", "show", "acme/one#2")).out).toContain(`(${reason})`);
  expect((await hubctl(scene, read, "queue", "list", "-reason", "operator_hold")).out).toContain("…\n");
  expect(await hubctl(scene, token, "queue", "lift", "-reason", "operator_hold")).toMatchObject({
    code: 3,
    out: "would offer 2 issues again; with -yes it does\n",
  });
  expect(scene.hub.withheld(1)).toBe("operator_hold");
  expect((await hubctl(scene, token, "queue", "lift", "acme/one#1")).out).toBe("1 issue offered again\n");
  await hubctl(scene, token, "queue", "pin", "acme/one#4", "acme/one#3");
  const listed = JSON.parse((await hubctl(scene, read, "queue", "list", "-json", "-limit", "2")).out);
  expect(listed.map(({ key }: { key: string }) => key)).toEqual(["acme/one#4", "acme/one#3"]);
  expect((await hubctl(scene, read, "queue", "list", "-label", "none", "-json")).out).toBe("[]\n");
  expect((await hubctl(scene, read, "queue", "show", "acme/one#4")).out).toContain("on offer, pinned");
  expect((await hubctl(scene, token, "queue", "unpin", "acme/one#4")).out).toBe("1 issue unpinned\n");
  expect((await hubctl(scene, read, "queue", "show", "acme/one#4")).out).not.toContain("pinned");
  const missing = await hubctl(scene, read, "queue", "show", "acme/one#99");
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("there is no issue acme/one#99") });
});

test("tasks and relays: who has what, what happened, and taking it back; the audit names the token", async () => {
  await using scene = await SignedInHub.start({ issues: 1 });
  const { token } = await scene.token("operate");
  const relay = await scene.hub.relay("ada", { session: "laptop" });
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  await expect.poll(async () => (await hubctl(scene, token, "tasks")).out).toContain("in-progress");
  expect((await hubctl(scene, token, "relays", "list", "-search", "lap")).out).toContain(task.task_id);
  expect((await hubctl(scene, token, "tasks", "show", task.task_id)).out).toMatch(/issue +acme\/one#1/);
  const back = await hubctl(scene, token, "tasks", "take-back", task.task_id, "-reason", "wrong repository");
  expect(back.out).toContain("is taken back");
  const ended = await hubctl(scene, token, "tasks", "find", "-outcome", "requeued", "-contributor", "ada", "-json");
  expect(JSON.parse(ended.out)).toMatchObject([{ task_id: task.task_id, outcome: "requeued" }]);
  expect((await hubctl(scene, token, "tasks", "find", "-outcome", "failed", "-json")).out).toBe("[]\n");
  expect((await relay.next("task_revoke")).task_id).toBe(task.task_id);
  expect((await hubctl(scene, token, "audit")).out).toContain("token operate token (by boss)");
  const found = await hubctl(scene, token, "audit", "list", "-action", "requeue", "-actor", "boss", "-json");
  expect(JSON.parse(found.out)).toMatchObject([{ action: "requeue", actor: "token operate token (by boss)" }]);
  expect((await hubctl(scene, token, "audit", "list", "-until", "2020-01-01")).out).not.toContain("operate");
  expect(await hubctl(scene, token, "audit", "list", "-since", "yesterday")).toMatchObject({ code: 1 });
});

test("pause: a contributor for an hour with a note, one relay of theirs, everybody; ended by the same words", async () => {
  await using scene = await SignedInHub.start({ issues: 3 });
  const { token } = await scene.token("operate");
  const relay = await scene.hub.relay("ada", { session: "laptop" });
  const set = await hubctl(scene, token, "pause", "set", "ada", "-until", "2030-01-01T00:00:00Z", "-note", "on leave");
  expect(set.out).toBe("ada is paused, until 2030-01-01T00:00:00.000Z\n");
  expect((await relay.refused()).reason).toBe("paused");
  await hubctl(scene, token, "pause", "set", "ada", "-session", "laptop");
  expect((await hubctl(scene, token, "pause")).out).toMatch(/ada on laptop .*\n?.*/);
  expect((await hubctl(scene, token, "pause", "list")).out).toContain("on leave");
  expect((await hubctl(scene, token, "pause", "end", "ada")).out).toBe("the pause is ended\n");
  expect((await hubctl(scene, token, "pause", "end", "ada", "-session", "laptop")).out).toBe("the pause is ended\n");
  expect((await hubctl(scene, token, "pause", "end", "everything")).out).toBe("there was no such pause\n");
  expect((await relay.ready()).number).toBe(1);
  expect(await hubctl(scene, token, "pause", "set", "ada", "-until", "soon")).toMatchObject({ code: 2 });
  expect(await hubctl(scene, token, "pause", "set", "nobody")).toMatchObject({ code: 1 });
});

test("settings: as YAML, what a file would change with its effect in numbers, and applying it", async () => {
  await using scene = await SignedInHub.start({ issues: 5 });
  const { token } = await scene.token("configure");
  expect((await hubctl(scene, token, "settings", "get", "contribute_cooldown_hours")).out).toBe("168\n");
  const file = join(folder, "settings.yaml");
  await writeFile(file, "contribute_deny_titles: [/1$/]\ntier_limits:\n  newcomer: { max_per_hour: 9 }\n");
  const diff = await hubctl(scene, token, "settings", "diff", file);
  expect(diff).toMatchObject({ code: 3, out: expect.stringContaining('+ contribute_deny_titles: ["/1$/"]') });
  expect(diff.out).toMatch(/on offer: 5 -> \d \(\d leave, 0 come\)/);
  const inForce = async () => (await scene.hub.admin("GET", CONFIG)).body;
  expect(await inForce()).toMatchObject({ tier_limits: { newcomer: { max_per_hour: 3 } } });
  expect(await hubctl(scene, token, "settings", "apply", file)).toMatchObject({ code: 0 });
  expect(await inForce()).toMatchObject({
    contribute_deny_titles: ["/1$/"],
    tier_limits: { newcomer: { max_per_hour: 9, max_per_day: 10 } },
  });
  expect(await hubctl(scene, token, "settings", "diff", file)).toMatchObject({
    code: 0,
    out: "nothing would change\n",
  });
  await hubctl(scene, token, "settings", "set", "contribute_suspended", "true");
  expect(await inForce()).toMatchObject({ contribute_suspended: true });
});

test("settings that the hub does not take are refused by name, and nothing is saved", async () => {
  await using scene = await SignedInHub.start({ issues: 2 });
  const { token } = await scene.token("configure");
  const before = (await scene.hub.admin("GET", CONFIG)).body;
  const file = join(folder, "wrong.yaml");
  await writeFile(file, "contribute_deny_title: [x]\ncontribute_cooldown_hours: 0\n");
  const unknown = await hubctl(scene, token, "settings", "apply", file);
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining("contribute_deny_title: unknown key") });
  await writeFile(file, 'contribute_suspended: true\ncontribute_deny_titles: ["/(/"]\n');
  const pattern = await hubctl(scene, token, "settings", "apply", file);
  expect(pattern).toMatchObject({ code: 2, err: expect.stringContaining("contribute_deny_titles") });
  expect((await scene.hub.admin("GET", CONFIG)).body).toEqual(before);
});

test("what it saved itself is what it reads: get, then apply, changes nothing", async () => {
  await using scene = await SignedInHub.start({ issues: 1 });
  const { token } = await scene.token("read");
  const file = join(folder, "all.yaml");
  await writeFile(file, (await hubctl(scene, token, "settings", "get")).out);
  expect(await hubctl(scene, token, "settings", "apply", file)).toMatchObject({
    code: 0,
    out: "nothing would change\n",
  });
});
