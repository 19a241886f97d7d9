import { systemClock } from "@nest/kit";
import { type LocalCodeHost, type ScriptedFailure, startLocalCodeHost } from "@nest/local-codehost";
import { test } from "vitest";
import { FolderHere, freePorts } from "../harness/folder-here.ts";
import { HubProcess } from "../harness/hub-process.ts";
import { RawRelay } from "../harness/raw-relay.ts";

const REPO = "acme/one";
const TOKENS = { hub: "hub-token-of-the-test", ada: "token-of-ada" };
const ISSUES = 3;

/** A code host that can be made to fail, and the hub that reads it. */
class Scene implements AsyncDisposable {
  readonly folder: FolderHere;
  readonly #port: number;
  codeHost!: LocalCodeHost;
  hub!: HubProcess;

  private constructor(folder: FolderHere, port: number) {
    this.folder = folder;
    this.#port = port;
  }

  static async set(firstFailure?: ScriptedFailure): Promise<Scene> {
    const [port = 0] = await freePorts(1);
    const scene = new Scene(await FolderHere.make("codehost"), port);
    await scene.startCodeHost();
    if (firstFailure !== undefined) scene.codeHost.failNext(firstFailure);
    scene.hub = await HubProcess.start({
      folder: scene.folder.in("hub"),
      apiUrl: scene.codeHost.apiUrl,
      repos: [REPO],
      token: TOKENS.hub,
      evalIntervalS: 1,
    });
    return scene;
  }

  async startCodeHost(): Promise<void> {
    const issue = (at: number) => ({ title: `Issue ${at + 1}`, body: "", author: "bob", labels: [] });
    this.codeHost = await startLocalCodeHost({
      port: this.#port,
      dataDir: this.folder.in("codehost"),
      clock: systemClock(),
      seed: {
        organisations: ["acme"],
        tokens: { [TOKENS.hub]: "acme-nest", [TOKENS.ada]: "ada" },
        repositories: [
          {
            owner: "acme",
            name: "one",
            files: { "README.md": "# One\n" },
            issues: Array.from({ length: ISSUES }, (_, at) => issue(at)),
          },
        ],
      },
    });
  }

  async openIssue(title: string): Promise<void> {
    await fetch(`${this.codeHost.apiUrl}/repos/${REPO}/issues`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKENS.ada}`, "content-type": "application/json" },
      body: JSON.stringify({ title, body: "" }),
    });
  }

  async onOffer(): Promise<number> {
    return (await this.hub.status()).actionable_items;
  }

  async repository() {
    return (await this.hub.status()).repositories?.[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub?.[Symbol.asyncDispose]();
    await this.codeHost.close();
    await this.folder[Symbol.asyncDispose]();
  }
}

/** More often than one call is tried again. */
const times = 6;
const LISTS = { method: "GET", path: /^\/repos\/acme\/one\/(?:issues|pulls)$/ };
const inASecond = () => String(Math.floor(Date.now() / 1000) + 1);

const failures: readonly (readonly [string, () => ScriptedFailure])[] = [
  ["server errors", () => ({ ...LISTS, status: 500, times })],
  ["its pages cut off half-way", () => ({ ...LISTS, status: 200, body: '[{"number":1,"title":"Iss', times })],
  ["nothing at all in its answers", () => ({ ...LISTS, status: 200, body: "", times })],
  ["answers of another shape", () => ({ ...LISTS, status: 200, body: '{"message":"welcome"}', times: 2 })],
  [
    "a page of a proxy",
    () => ({ ...LISTS, status: 200, headers: { "content-type": "text/html" }, body: "<p>", times }),
  ],
  [
    "a used-up rate limit",
    () => ({
      ...LISTS,
      status: 403,
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": inASecond() },
      times: 2,
    }),
  ],
  ["a secondary rate limit", () => ({ ...LISTS, status: 403, headers: { "retry-after": "1" }, times: 2 })],
];

test.concurrent.for(failures)(
  "while the code host answers with %s, the hub goes on with what it knows, and catches up afterwards",
  { timeout: 60_000 },
  async ([, failure], { expect }) => {
    await using scene = await Scene.set();
    await expect.poll(() => scene.onOffer(), { timeout: 10_000 }).toBe(ISSUES);
    scene.codeHost.failNext(failure());
    await scene.openIssue("One more");
    const { registration_token: token } = await scene.hub.register("ada");
    const relay = await RawRelay.join(scene.hub.socket, token);
    expect((await relay.ready()).number).toBe(1);
    const seen = new Set<number>();
    await expect
      .poll(
        async () => {
          const { actionable_items, total_items = 0 } = await scene.hub.status();
          seen.add(total_items);
          return actionable_items;
        },
        { timeout: 25_000, interval: 100 },
      )
      .toBe(ISSUES);
    expect([...seen].every((items) => items >= ISSUES)).toBe(true);
    await expect
      .poll(() => scene.repository(), { timeout: 10_000 })
      .toMatchObject({ state: "ready", issues: ISSUES + 1 });
  },
);

test.concurrent("a hub that starts while its code host fails offers nothing, says why, and opens when it can", async ({
  expect,
}) => {
  await using scene = await Scene.set({ ...LISTS, status: 502, times: 12 });
  const { registration_token: token } = await scene.hub.register("ada");
  const relay = await RawRelay.join(scene.hub.socket, token);
  expect((await relay.refused()).reason).toBe("hub_not_ready");
  await expect
    .poll(() => scene.repository(), { timeout: 20_000, interval: 100 })
    .toMatchObject({ state: "failing", error: expect.stringContaining("502") });
  await expect.poll(() => scene.onOffer(), { timeout: 30_000 }).toBe(ISSUES);
  expect((await relay.ready()).number).toBe(1);
}, 90_000);

test.concurrent("a code host that goes away and comes back costs no issue and no lease", async ({ expect }) => {
  await using scene = await Scene.set();
  await expect.poll(() => scene.onOffer(), { timeout: 10_000 }).toBe(ISSUES);
  const { registration_token: token } = await scene.hub.register("ada");
  const relay = await RawRelay.join(scene.hub.socket, token);
  const task = await relay.ready();
  const of = { task_id: task.task_id, task_gen: task.task_gen };
  relay.send({ type: "task_accepted", ...of });
  await scene.codeHost.close();
  await expect.poll(() => scene.repository(), { timeout: 20_000 }).toMatchObject({ state: "failing", issues: ISSUES });
  relay.send({ type: "task_progress", ...of });
  expect(await relay.pending("task_revoke")).toEqual([]);
  await scene.startCodeHost();
  await expect.poll(() => scene.repository(), { timeout: 20_000 }).toMatchObject({ state: "ready", issues: ISSUES });
  relay.send({ type: "task_complete", ...of, result: "completed" });
  expect(await relay.next("task_ack")).toMatchObject(of);
  expect((await relay.ready()).number).toBe(2);
}, 90_000);
