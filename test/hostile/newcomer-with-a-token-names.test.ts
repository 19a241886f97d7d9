import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { RawRelay } from "../harness/raw-relay.ts";

// A login that was given up is free for anybody. Who takes it wants what its owner earned here.

const CLOSED = { open_registration: false };

interface Registered {
  readonly contributor_id: string;
  readonly registration_token?: string;
}

/** Registers under this login with this code-host token. */
async function register(hub: TestHub, login: string, token = `ghp_${login}`) {
  hub.codeHost.users.set(token, hub.codeHost.users.get(token) ?? login);
  const headers = { authorization: `Bearer ${token}` };
  const { status, body } = await hub.call("POST", "/api/contribute/register", { github_username: login }, headers);
  return { status, ...(body as Registered) };
}

async function reissue(hub: TestHub, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const { status, body } = await hub.call("POST", "/api/contribute/reissue-token", undefined, headers);
  return { status, ...(body as Registered) };
}

function loginsOf(hub: TestHub): string[] {
  return [...hub.hub.ledger.contributors()].map(({ login, tier }) => `${login} ${tier}`).sort();
}

test("the successor of a renamed account inherits nothing, and the account keeps everything under its new login", async () => {
  await using hub = await TestHub.start({ contribute: CLOSED });
  const ada = await register(hub, "ada");
  await hub.admin("PUT", "/api/contributors/ada/trust", { tier: "trusted" });
  hub.codeHost.rename("ada", "lovelace");

  const mallory = await register(hub, "ada", "ghp_mallory");
  expect(mallory.contributor_id).not.toBe(ada.contributor_id);
  expect(mallory.registration_token).toBeDefined();
  expect(hub.hub.ledger.contributor(mallory.contributor_id)?.tier).toBe("newcomer");
  const taken = await reissue(hub, "ghp_mallory");
  expect(taken.contributor_id).toBe(mallory.contributor_id);

  const relay = await RawRelay.join(hub.socket, ada.registration_token ?? "");
  expect(loginsOf(hub)).toEqual([`ada newcomer`, `ada~${hub.codeHost.accountId("lovelace")} trusted`]);
  expect((await register(hub, "lovelace", "ghp_ada")).contributor_id).toBe(ada.contributor_id);
  expect(loginsOf(hub)).toEqual(["ada newcomer", "lovelace trusted"]);
  await relay.ready();
  await hub.restart();
  expect(loginsOf(hub)).toEqual(["ada newcomer", "lovelace trusted"]);
  expect((await register(hub, "lovelace", "ghp_ada")).contributor_id).toBe(ada.contributor_id);
  const { audit } = (await hub.admin("GET", "/api/audit")).body as { audit: { action: string; after?: unknown }[] };
  expect(audit.map(({ action }) => action)).toEqual(expect.arrayContaining(["login given up", "renamed"]));
});

test("two accounts that swap their logins, and prove it in one moment, keep their own records", async () => {
  await using hub = await TestHub.start({ contribute: CLOSED });
  const [one, two] = [await register(hub, "one"), await register(hub, "two")];
  const [first, second] = [hub.codeHost.accountId("one"), hub.codeHost.accountId("two")];
  hub.codeHost.rename("one", "between");
  hub.codeHost.rename("two", "one");
  hub.codeHost.rename("between", "two");
  // Both changes are in one batch: for each the new login still looks taken in the database.
  await Promise.all([
    hub.hub.batcher.ask({ kind: "proven", login: "two", accountId: first }),
    hub.hub.batcher.ask({ kind: "proven", login: "one", accountId: second }),
  ]);
  for (const _boot of ["before a restart", "after it"]) {
    expect(hub.hub.ledger.contributorByLogin("two")?.id).toBe(one.contributor_id);
    expect(hub.hub.ledger.contributorByLogin("one")?.id).toBe(two.contributor_id);
    await hub.restart();
  }
  expect((await register(hub, "two", "ghp_one")).contributor_id).toBe(one.contributor_id);
});

test("a late proof of a login changes nothing when the login belongs to another account by then", async () => {
  await using hub = await TestHub.start({ contribute: CLOSED });
  const ada = await register(hub, "ada");
  const accountId = hub.codeHost.accountId("mallory");
  await hub.hub.batcher.ask({ kind: "proven", login: "ada", accountId });
  expect(hub.hub.ledger.contributorByAccount(accountId)).toBeUndefined();
  expect(hub.hub.ledger.contributor(ada.contributor_id)?.accountId).toBe(hub.codeHost.accountId("ada"));
});

test("a revoked contributor cannot come back under another login", async () => {
  await using hub = await TestHub.start({ contribute: CLOSED });
  await register(hub, "mallory");
  await hub.admin("POST", "/api/contributors/mallory/revoke");
  hub.codeHost.rename("mallory", "innocent");
  expect((await register(hub, "innocent", "ghp_mallory")).status).toBe(403);
  expect((await reissue(hub, "ghp_mallory")).status).toBe(403);
});

test("a pull request of a login's new owner is not credited to the previous owner", async () => {
  await using hub = await TestHub.start({ contribute: CLOSED, issues: 3 });
  const ada = await register(hub, "ada");
  const relay = await RawRelay.join(hub.socket, ada.registration_token ?? "");
  hub.codeHost.rename("ada", "lovelace");
  for (const [number, author] of [
    [50, "ada"],
    [51, "lovelace"],
  ] as const) {
    const { task_id, task_gen } = await relay.ready();
    hub.codeHost.setPullRequest({ repo: "acme/one", number, author });
    const pr_url = `https://github.com/acme/one/pull/${number}`;
    relay.send({ type: "task_complete", task_id, task_gen, result: "completed", pr_url });
    await relay.next("task_ack");
  }
  await expect.poll(() => hub.hub.ledger.contributor(ada.contributor_id)?.verified).toBe(1);
  const { history } = (await hub.admin("GET", `/api/contributors/${ada.contributor_id}`)).body as {
    history: { pr_state: string }[];
  };
  expect(history.map(({ pr_state: state }) => state)).toEqual(["verified", "refused"]);
});

test("a record without an account belongs to its login until an account proves that login, and to that account from then on", async () => {
  await using hub = await TestHub.start({ contribute: CLOSED });
  const ada = await register(hub, "ada");
  const bob = await register(hub, "bob");
  await hub.admin("PUT", "/api/contributors/ada/trust", { tier: "trusted" });
  await hub.hub.stop();
  await hub.sql("update contributors set account_id = null");
  await hub.boot();
  expect(hub.hub.ledger.contributorByLogin("ada")?.accountId).toBeUndefined();
  expect((await register(hub, "ada", "ghp_ada")).contributor_id).toBe(ada.contributor_id);
  expect(hub.hub.ledger.contributorByLogin("ada")?.accountId).toBe(hub.codeHost.accountId("ada"));
  hub.codeHost.rename("ada", "lovelace");
  expect((await register(hub, "ada", "ghp_mallory")).contributor_id).not.toBe(ada.contributor_id);
  // An account that has a record of its own has no part in another one, even where nobody knows whose that is.
  hub.codeHost.rename("bob", "robert");
  hub.codeHost.rename("lovelace", "bob");
  expect((await reissue(hub, "ghp_ada")).contributor_id).toBe(ada.contributor_id);
  expect(hub.hub.ledger.contributor(bob.contributor_id)?.login).toBe(`bob~${bob.contributor_id}`);
});

test("with open registration nothing is proven: a record belongs to its login until an account proves that login", async () => {
  await using hub = await TestHub.start();
  const ada = await hub.register("ada");
  expect(hub.hub.ledger.contributor(ada.contributor_id)?.accountId).toBeUndefined();
  hub.codeHost.users.set("ghp_ada", "ada");
  const proven = await reissue(hub, "ghp_ada");
  expect(proven.contributor_id).toBe(ada.contributor_id);
  expect(hub.hub.ledger.contributor(ada.contributor_id)?.accountId).toBe(hub.codeHost.accountId("ada"));
});
