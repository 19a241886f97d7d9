import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";

const PUSHED = { capabilities: { relay_capabilities: ["task_ack", "task_push"] } };

test("an issue that comes on offer goes to a relay that may have it, however many wait before it that may not", async () => {
  await using hub = await TestHub.start({ issues: 0 });
  const waiting = [];
  for (const login of ["ada", "bob", "carol"]) {
    const relay = await hub.relay(login, PUSHED);
    relay.send({ type: "ready" });
    expect((await relay.next("task_unavailable")).reason).toBe("no_matching_work");
    waiting.push(relay);
  }
  const [ada, bob, carol] = waiting;
  for (const login of ["ada", "bob"]) {
    const { contributor } = (await hub.admin("GET", `/api/contributors/${login}`)).body as {
      contributor: { contributor_id: string };
    };
    const scope = { kind: "contributor", contributor_id: contributor.contributor_id };
    expect((await hub.admin("PUT", "/api/contribute/pauses", { scope, note: "" })).status).toBe(200);
  }
  for (const number of [1, 2]) {
    hub.codeHost.setIssue({ repo: "acme/one", number });
    await hub.admin("POST", "/api/contribute/queue/refresh");
    if (number === 1) expect((await carol?.next("task_assign"))?.number).toBe(1);
  }
  expect(await ada?.pending("task_assign")).toEqual([]);
  expect(await bob?.pending("task_assign")).toEqual([]);
  expect(await hub.actionable()).toBe(1);
});
