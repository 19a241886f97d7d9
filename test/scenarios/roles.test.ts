import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { RawRelay } from "../harness/raw-relay.ts";

async function roleOf(hub: TestHub, token: string, role: string): Promise<string | undefined> {
  const relay = new RawRelay(hub.socket);
  await relay.next("auth_challenge");
  relay.send({ type: "auth_response", registration_token: token, cli_backend: "claude", model: "", role });
  return (await relay.next("auth_ok")).role;
}

test("a relay may ask for a delegated role that its tier carries; a newcomer works without one and is told so", async () => {
  await using hub = await TestHub.start();
  const { registration_token: token, contributor_id: id } = await hub.register("alice");
  expect(await roleOf(hub, token, "scanner")).toBeUndefined();
  await hub.admin("PUT", `/api/contributors/${id}/trust`, { tier: "contributor" });
  expect(await roleOf(hub, token, "scanner")).toBe("scanner");
  expect(await roleOf(hub, token, "architect")).toBeUndefined();
  expect(await roleOf(hub, token, "supervisor")).toBeUndefined();
});

test("a role beyond the open ones needs the tier trusted, a grant to the person, and to be delegated by the hub", async () => {
  await using hub = await TestHub.start();
  const { registration_token: token, contributor_id: id } = await hub.register("alice");
  await hub.admin("PUT", `/api/contributors/${id}/trust`, { tier: "trusted" });
  await hub.admin("PUT", `/api/contributors/${id}/agent-role-grants`, { agent_role_grants: ["architect"] });
  expect(await roleOf(hub, token, "architect")).toBeUndefined();
  await hub.admin("PUT", "/api/config/governor/hub", { contribute_delegatable_roles: ["architect"] });
  expect(await roleOf(hub, token, "architect")).toBe("architect");
  expect(await roleOf(hub, token, "scanner")).toBeUndefined();
});

test("the owner's word overrides what the relay asks for, at once and across restarts; none forces general work", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const relay = await hub.relay("alice", { role: "scanner" });
  const set = (agent_role: string | null) =>
    hub.admin("PUT", `/api/contributors/${relay.contributorId}/agent-role`, { agent_role });
  expect((await set("quality")).body).toEqual({ ok: true, agent_role: "quality" });
  const task = await relay.ready();
  expect(task.role).toBe("quality");
  expect(task.prompt).toContain("You work as: quality");
  expect((await hub.call("GET", "/api/contribute/fleet")).body).toMatchObject({
    clankers: [{ role: "quality", client_role: "scanner", assigned_agent_role: "quality", role_mismatch: true }],
  });
  await hub.restart();
  expect(await roleOf(hub, relay.token, "scanner")).toBe("quality");
  await set("none");
  expect(await roleOf(hub, relay.token, "scanner")).toBeUndefined();
  const { audit } = (await hub.admin("GET", "/api/audit")).body as { audit: object[] };
  expect(audit[0]).toMatchObject({
    action: "agent role",
    subject: "alice",
    before: { agent_role: "quality" },
    after: { agent_role: "none" },
  });
});

test.each([
  ["agent-role", { agent_role: "king" }],
  ["agent-role", {}],
  ["agent-role-grants", { agent_role_grants: ["supervisor"] }],
])("PUT %s refuses %j", async (path, body) => {
  await using hub = await TestHub.start();
  const { contributor_id: id } = await hub.register("alice");
  expect((await hub.admin("PUT", `/api/contributors/${id}/${path}`, body)).status).toBe(400);
  expect((await hub.call("PUT", `/api/contributors/${id}/${path}`, body)).status).toBe(401);
});
