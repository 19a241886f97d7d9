import { heartbeatKey } from "@nest/auth";
import { Secret } from "@nest/kit";
import type { fleet } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";

const SECRET = "heartbeat-secret-of-the-tests";
const MINUTE = 60_000;

let hub: TestHub;
beforeEach(async () => {
  hub = await TestHub.start();
});
afterEach(() => hub[Symbol.asyncDispose]());

function beat(body: object, bearer = SECRET, named?: string) {
  const headers = { authorization: `Bearer ${bearer}`, ...(named === undefined ? {} : { "x-nest-id": named }) };
  return hub.call("POST", "/api/heartbeat", body, headers);
}
const explained = async (id: string) => (await hub.admin("GET", `/api/registry/${id}/offline`)).body as fleet.Offline;

test("a beat that leaves out version or ACMM level keeps the last known one", async () => {
  const whole = { nest_id: "n-1", is_public: true, version: "1.2.3", acmm_level: 4, repos: ["acme/one"] };
  await beat(whole);
  await beat({ nest_id: "n-1" });
  const { nests } = (await hub.call("GET", "/api/registry")).body as { nests: object[] };
  expect(nests).toMatchObject([{ id: "n-1", version: "1.2.3", acmmLevel: 4, repos: ["acme/one"], online: true }]);
});

test("a fact that cannot be read costs the fact, not the heartbeat", async () => {
  const agents = [{ name: "scanner", state: "running", restarts: "many", running_since: "yesterday" }];
  const answer = await beat({ nest_id: "n-1", is_public: true, agents, tokens_24h: -1, governor: "busy" });
  expect(answer.status).toBe(200);
  const { nests } = (await hub.call("GET", "/api/registry")).body as { nests: { agents: object[] }[] };
  expect(nests[0]?.agents).toEqual([{ name: "scanner", state: "running" }]);
});

test("a nest's own key opens that nest alone", async () => {
  const key = heartbeatKey(new Secret(SECRET), "n-1").reveal();
  expect((await beat({ nest_id: "n-1" }, key, "n-1")).status).toBe(200);
  for (const [body, named] of [
    [{ nest_id: "n-2" }, "n-1"],
    [{ nest_id: "n-2" }, "n-2"],
    [{ nest_id: "n-1" }, "n-2"],
    [{ nest_id: "n-1" }, undefined],
  ] as const) {
    const refused = await beat(body, key, named);
    expect([refused.status, refused.body]).toEqual([401, "unauthorized"]);
  }
});

test("why a nest is not online: never heard of, refused, silent, paused", async () => {
  expect(await explained("n-1")).toMatchObject({ state: "never_seen", rejected: 0 });
  for (let count = 0; count < 3; count += 1) await beat({ nest_id: "n-1" }, "wrong-secret", "n-1");
  expect(await explained("n-1")).toMatchObject({ state: "rejected", rejected: 3 });
  await beat({ nest_id: "n-1" });
  expect((await explained("n-1")).state).toBe("online");
  const paused = { name: "scanner", state: "paused", enabled: true };
  await beat({ nest_id: "n-1", agents: [paused, { name: "off", state: "disabled", enabled: false }] });
  expect((await explained("n-1")).state).toBe("paused");
  await hub.clock.advance(16 * MINUTE);
  const stale = await explained("n-1");
  expect([stale.state, stale.because]).toEqual(["stale", expect.stringContaining("16 min ago")]);
});

test("strangers who name a thousand nests push out none that is known, and fill no memory", async () => {
  await beat({ nest_id: "n-1" });
  for (let count = 0; count < 1100; count += 1) await beat({}, "wrong-secret", `ghost-${count}`);
  await beat({}, "wrong-secret", "not a nest's id ".repeat(20));
  expect((await explained("n-1")).state).toBe("online");
  expect((await explained("ghost-0")).state).toBe("never_seen");
  expect((await explained("ghost-1099")).state).toBe("rejected");
});

test("who asks why a nest is offline must be an admin", async () => {
  expect((await hub.call("GET", "/api/registry/n-1/offline")).status).toBe(401);
});
