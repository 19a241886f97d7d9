import { expect, test } from "vitest";
import { ADMIN_TOKEN, TestHub } from "../harness/hub.ts";

const closed = { contribute: { open_registration: false } };

test("an admin vouches for a login; nobody else registers one without proof of it", async () => {
  await using hub = await TestHub.start(closed);
  const register = (headers: Record<string, string>) =>
    hub.call("POST", "/api/contribute/register", { github_username: "alice" }, headers);
  expect((await register({})).status).toBe(401);
  expect((await register({ authorization: `Bearer ${"x".repeat(64)}` })).status).toBe(401);
  expect(await register({ authorization: `Bearer ${ADMIN_TOKEN}` })).toMatchObject({
    status: 200,
    body: { registration_token: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
});

test("a token of the hub's own is never sent to the code host to be checked as a person's token", async () => {
  await using hub = await TestHub.start(closed);
  const sent: string[] = [];
  hub.codeHost.whoIs = async (token) => {
    sent.push(token.reveal());
    return undefined;
  };
  const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const { body } = await hub.call("POST", "/api/contribute/register", { github_username: "alice" }, admin);
  const { registration_token: token } = body as { registration_token: string };
  const relay = { authorization: `Bearer ${token}` };
  expect((await hub.call("POST", "/api/contribute/reissue-token", {}, relay)).status).toBe(401);
  expect((await hub.call("POST", "/api/contribute/register", { github_username: "bob" }, relay)).status).toBe(401);
  await hub.call("POST", "/api/contribute/reissue-token", {}, admin);
  expect(sent).toEqual([]);
});
