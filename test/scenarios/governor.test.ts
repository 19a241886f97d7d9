import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { of } from "../harness/raw-relay.ts";

const PATH = "/api/config/governor/hub";

async function put(hub: TestHub, change: object) {
  const answer = await hub.admin("PUT", PATH, change);
  expect(answer.body).toEqual({ status: "updated" });
}

interface AuditReply {
  readonly audit: { action: string; actor: string; before?: unknown; after?: unknown }[];
}

async function audited(hub: TestHub) {
  const { audit } = (await hub.admin("GET", "/api/audit")).body as AuditReply;
  return audit.filter(({ action }) => action === "queue configuration");
}

test("contribute_suspended stops assigning immediately; connected contributors stay and idle, running tasks go on, and it is reversible", async () => {
  await using hub = await TestHub.start({ issues: 5 });
  const busy = await hub.relay("alice");
  const idle = await hub.relay("bob");
  const task = await busy.ready();
  busy.send({ type: "task_accepted", ...of(task) });
  await put(hub, { contribute_suspended: true });
  expect((await idle.refused()).reason).toBe("contribution_suspended");
  busy.send({ type: "task_progress", ...of(task), repo: task.repo, number: task.number });
  expect(await busy.pending("task_revoke")).toEqual([]);
  busy.send({ type: "task_complete", ...of(task), result: "completed" });
  expect((await busy.next("task_ack")).task_id).toBe(task.task_id);
  await put(hub, { contribute_suspended: false });
  expect((await idle.ready()).repo).toBe("acme/one");
});

test("while suspended a resume is refused with the exact text, and the task is released uncounted", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const first = await hub.relay("alice");
  const task = await first.ready();
  first.send({ type: "task_accepted", ...of(task) });
  await first.pending();
  await first.drop();
  await put(hub, { contribute_suspended: true });
  const { RawRelay } = await import("../harness/raw-relay.ts");
  const again = await RawRelay.join(hub.socket, first.token);
  again.send({ type: "task_accepted", ...of(task) });
  again.send({ type: "task_progress", ...of(task), repo: task.repo, number: task.number });
  expect((await again.next("task_revoke")).reason).toBe("no active lease for this task");
  expect(hub.hub.ledger.leaseCount).toBe(0);
  expect(hub.hub.queue.entry("acme/one#1")?.failures).toBe(0);
});

test("a relay that waits and can be told gets work as soon as the suspension ends", async () => {
  await using hub = await TestHub.start({ issues: 1, contribute: { contribute_suspended: true } });
  const relay = await hub.relay("alice", {
    capabilities: { relay_capabilities: ["task_ack", "task_push", "withheld_counts", "limits_left"] },
  });
  expect((await relay.refused()).reason).toBe("contribution_suspended");
  await put(hub, { contribute_suspended: false });
  expect((await relay.next("task_assign")).number).toBe(1);
});

test.each([
  ["disabled_repos takes a repository out, by full name", { disabled_repos: ["ACME/one"] }, [1, 2, 3], "repo_disabled"],
  ["disabled_repos takes a repository out, by short name", { disabled_repos: ["One"] }, [1, 2, 3], "repo_disabled"],
  ["deny: listed labels exclude an issue", { contribute_deny_labels: ["WONTFIX"] }, [1], "label_filter"],
  [
    "allow: an issue must carry one of the listed labels",
    { contribute_labels_mode: "allow", contribute_deny_labels: ["wontfix"] },
    [2, 3],
    "label_filter",
  ],
  [
    "an allow list that is empty is off",
    { contribute_labels_mode: "allow", contribute_deny_labels: [] },
    [],
    "label_filter",
  ],
  ["titles: * wildcards, case-insensitive", { contribute_deny_titles: ["CHORE:*"] }, [2], "title_filter"],
  [
    "titles: slash-delimited regex, case-insensitive",
    { contribute_deny_titles: ["/^chore.+deps$/"] },
    [2],
    "title_filter",
  ],
  ["titles: without a wildcard a piece of it", { contribute_deny_titles: ["the DEPS"] }, [2], "title_filter"],
  ["issues by these authors are excluded", { contribute_deny_authors: ["*-bot"] }, [3], "author_filter"],
  ["an author without a wildcard is the whole name", { contribute_deny_authors: ["bot"] }, [], "author_filter"],
  [
    "authors in allow mode: everybody else is left out",
    { contribute_authors_mode: "allow", contribute_deny_authors: ["robo-bot"] },
    [1, 2],
    "author_filter",
  ],
])("%s", async (_name, change, withheld, reason) => {
  await using hub = await TestHub.start({ issues: 0 });
  hub.codeHost.setIssue({ repo: "acme/one", number: 1, labels: ["wontfix"] });
  hub.codeHost.setIssue({ repo: "acme/one", number: 2, title: "chore: bump the deps" });
  hub.codeHost.setIssue({ repo: "acme/one", number: 3, author: "robo-bot" });
  await hub.hub.monitor.refresh();
  await put(hub, change);
  const out = [1, 2, 3].filter((number) => hub.withheld(number) === reason);
  expect(out).toEqual(withheld);
  expect(await hub.actionable()).toBe(3 - withheld.length);
});

test("a new repository defaults to on", async () => {
  await using hub = await TestHub.start({ issues: 1, kind: "app", config: { repos: [] } });
  await put(hub, { disabled_repos: ["acme/one"] });
  hub.codeHost.setIssue({ repo: "acme/new", number: 7 });
  await hub.hub.monitor.refresh();
  expect(hub.withheld(1)).toBe("repo_disabled");
  expect(hub.withheld(7, "acme/new")).toBeUndefined();
  expect(await hub.actionable()).toBe(1);
});

test("contribute_allow_labels is moved once into the two keys that took its place", async () => {
  await using hub = await TestHub.start({ issues: 2, contribute: { contribute_allow_labels: ["help wanted"] } });
  const now = async () => (await hub.admin("GET", PATH)).body as Record<string, unknown>;
  expect(await now()).toMatchObject({
    contribute_labels_mode: "allow",
    contribute_deny_labels: ["help wanted"],
    contribute_allow_labels: [],
  });
  await put(hub, { contribute_labels_mode: "deny", contribute_deny_labels: ["x"] });
  await hub.restart();
  expect(await now()).toMatchObject({ contribute_labels_mode: "deny", contribute_deny_labels: ["x"] });
});

test("the answer of GET is a flat object of the keys of PUT, and can be sent back as it is", async () => {
  await using hub = await TestHub.start();
  const { body } = await hub.admin("GET", PATH);
  await put(hub, body as object);
  expect((await hub.admin("GET", PATH)).body).toEqual(body);
});

test("absent keys stay, tier_limits merges per tier and field, and it survives a restart", async () => {
  await using hub = await TestHub.start();
  await put(hub, { contribute_deny_labels: ["a"], tier_limits: { newcomer: { max_per_day: 7 } } });
  await put(hub, { tier_limits: { newcomer: { max_per_hour: 0 }, trusted: { max_concurrent: 9 } } });
  await hub.restart();
  expect((await hub.admin("GET", PATH)).body).toMatchObject({
    contribute_deny_labels: ["a"],
    tier_limits: {
      newcomer: { max_per_hour: 0, max_per_day: 7, max_concurrent: 1 },
      trusted: { max_per_hour: 30, max_per_day: 200, max_concurrent: 9 },
    },
  });
});

const wrongChanges: readonly (readonly [unknown, string])[] = [
  [{ contribute_suspended: true, surprise: 1, other: 2 }, "surprise, other"],
  [{ contribute_suspended: "yes" }, "contribute_suspended"],
  [{ contribute_labels_mode: "maybe" }, "contribute_labels_mode"],
  [{ contribute_deny_titles: "x" }, "contribute_deny_titles"],
  [{ contribute_deny_titles: ["fine", "/(/"] }, "contribute_deny_titles[1]"],
  [{ contribute_deny_authors: [""] }, "contribute_deny_authors[0]: an empty pattern"],
  [{ contribute_allow_models: ["/a{1001}/"] }, "contribute_allow_models[0]"],
  [
    { contribute_allow_models: Array.from({ length: 50 }, (_, n) => `/(?:a${n}?){60}/`) },
    "with those before it too costly",
  ],
  [
    { contribute_deny_labels: Array.from({ length: 10_000 }, () => "a") },
    "contribute_deny_labels: more than 200 patterns",
  ],
  [{ disabled_tiers: ["king"] }, "disabled_tiers.0"],
  [{ tier_limits: { newcomer: { max_per_hour: -1 } } }, "tier_limits.newcomer.max_per_hour"],
  [{ tier_limits: { newcomer: { per_hour: 1 } } }, "per_hour"],
  [{ disabled_repos: ["../etc"] }, "disabled_repos.0"],
  [[], "body"],
  ["{", "body"],
];

test.each(wrongChanges.map(([change, place]) => [place, change] as const))(
  "a change that is wrong in one place is refused whole, naming the place: %s",
  async (place, change) => {
    await using hub = await TestHub.start();
    const before = (await hub.admin("GET", PATH)).body;
    const answer = await hub.admin("PUT", PATH, change);
    expect(answer.status).toBe(400);
    expect((answer.body as { error: string }).error).toContain(place);
    expect((await hub.admin("GET", PATH)).body).toEqual(before);
  },
);

test("each change is in the audit with old and new values, of the keys that changed only", async () => {
  await using hub = await TestHub.start();
  await put(hub, { contribute_suspended: true, contribute_deny_labels: [] });
  await put(hub, { contribute_suspended: true });
  expect(await audited(hub)).toEqual([
    expect.objectContaining({
      actor: "admin-token",
      before: { contribute_suspended: false },
      after: { contribute_suspended: true },
    }),
  ]);
});

test("two admins who toggle at once both get what they asked for", async () => {
  await using hub = await TestHub.start();
  await Promise.all([
    put(hub, { contribute_suspended: true }),
    put(hub, { contribute_deny_labels: ["a"] }),
    put(hub, { tier_limits: { newcomer: { max_per_hour: 1 } } }),
    put(hub, { tier_limits: { newcomer: { max_per_day: 2 } } }),
  ]);
  expect((await hub.admin("GET", PATH)).body).toMatchObject({
    contribute_suspended: true,
    contribute_deny_labels: ["a"],
    tier_limits: { newcomer: { max_per_hour: 1, max_per_day: 2, max_concurrent: 1 } },
  });
});

test("the queue configuration is for admins: 401 without, 403 for somebody else", async () => {
  await using hub = await TestHub.start();
  const { registration_token: token } = await hub.register("alice");
  expect((await hub.call("PUT", PATH, {})).status).toBe(401);
  expect((await hub.call("PUT", PATH, {}, { authorization: "Bearer not-one-of-this-hub" })).status).toBe(401);
  expect((await hub.call("PUT", PATH, {}, { authorization: `Bearer ${token}` })).status).toBe(403);
  expect((await hub.call("GET", PATH)).status).toBe(401);
});

test("a tier that is switched off gets no work, and each tier has its own limits, at once; 0 = unlimited", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  const relay = await hub.relay("alice");
  await put(hub, { disabled_tiers: ["newcomer"] });
  expect((await relay.refused()).reason).toBe("tier_disabled");
  await put(hub, { disabled_tiers: [], tier_limits: { newcomer: { max_per_hour: 1, max_per_day: 0 } } });
  const task = await relay.ready();
  relay.send({ type: "task_complete", ...of(task), result: "completed" });
  expect((await relay.refused()).reason).toBe("hourly_limit");
  await put(hub, { tier_limits: { newcomer: { max_per_hour: 0 } } });
  expect((await relay.ready()).task_id).not.toBe(task.task_id);
});

test("the thresholds of promotion are configurable, and 0 is by hand only", async () => {
  await using hub = await TestHub.start();
  await put(hub, { contribute_contributor_at: 1, contribute_trusted_at: 0 });
  const limits = (await hub.call("GET", "/contribute")).body as string;
  expect(limits).toContain("after 1 verified pull request<");
  expect(limits).toContain("by an admin");
});

test("the cooldown after a completion is configurable, and switched off it is as short as a drop's", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  await put(hub, { contribute_cooldown_enabled: false });
  const relay = await hub.relay("alice");
  const task = await relay.ready();
  relay.send({ type: "task_complete", ...of(task), result: "completed" });
  await relay.next("task_ack");
  expect(hub.withheld(1)).toBe("completed_without_pull_request");
  await hub.clock.jump(10 * 60_000);
  expect(hub.withheld(1)).toBeUndefined();
});

test("tracker issues are left out, until an admin wants them", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  hub.codeHost.setIssue({ repo: "acme/one", number: 2, labels: ["Epic"] });
  hub.codeHost.setIssue({ repo: "acme/one", number: 3, title: "[Tracking] the great move" });
  hub.codeHost.setIssue({ repo: "acme/one", number: 4, body: "- [ ] #1\n- [x] acme/two#2\n- [ ] #3 and more" });
  hub.codeHost.setIssue({ repo: "acme/one", number: 5, body: "- [ ] write it\n- [ ] see #3", title: "metadata" });
  await hub.hub.monitor.refresh();
  expect([1, 2, 3, 4, 5].map((number) => hub.withheld(number))).toEqual([
    undefined,
    "tracker",
    "tracker",
    "tracker",
    undefined,
  ]);
  await put(hub, { contribute_skip_trackers: false });
  expect(await hub.actionable()).toBe(5);
});

test("an issue that is assigned to somebody is offered to that contributor alone, where so configured", async () => {
  await using hub = await TestHub.start({ issues: 0 });
  hub.codeHost.setIssue({ repo: "acme/one", number: 1, assignees: ["Alice"] });
  await hub.hub.monitor.refresh();
  await put(hub, { contribute_skip_assigned_to_others: true });
  expect(hub.withheld(1)).toBe("assigned_to_other");
  const [bob, alice] = [await hub.relay("bob"), await hub.relay("alice")];
  expect((await bob.refused()).withheld).toEqual({ assigned_to_other: 1 });
  expect((await alice.ready()).number).toBe(1);
});

test("a preview tells which queued issues a list of patterns would match, and which patterns could not be saved", async () => {
  await using hub = await TestHub.start({ issues: 12 });
  const answer = await hub.admin("POST", "/api/config/governor/preview", {
    key: "contribute_deny_titles",
    patterns: ["issue 1*", "/(/", "/^issue 2$/"],
  });
  expect(answer.body).toMatchObject({ of: 12, matched: 5, faults: [{ index: 1, pattern: "/(/" }] });
  expect((answer.body as { matches: object[] }).matches[0]).toEqual({
    subject: "Issue 1",
    pattern: "issue 1*",
    key: "acme/one#1",
    title: "Issue 1",
  });
  expect((await hub.admin("GET", PATH)).body).toMatchObject({
    contribute_deny_titles: expect.not.arrayContaining(["issue 1*"]),
  });
});

test("the database fails in the middle of a change: the answer is 503, none of it applies, relays stay, and the next change works", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const relay = await hub.relay("alice");
  await put(hub, { contribute_deny_labels: ["before"] });
  const before = await hub.admin("GET", PATH);
  const audit = await audited(hub);
  const storageWorks = await hub.storageFails();
  const answer = await hub.admin("PUT", PATH, {
    contribute_suspended: true,
    contribute_announcement: "half a change",
    contribute_deny_titles: ["*", ...Array.from({ length: 199 }, (_, at) => `${at}`.padEnd(190, "x"))],
  });
  expect(answer.status).toBe(503);
  expect(answer.body).toEqual({
    error: "the change could not be written to disk",
    code: "storage_unavailable",
    hint: "try again; the hub's log says why",
  });
  expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
  const after = await hub.admin("GET", PATH);
  expect(after.body).toEqual(before.body);
  expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
  expect([hub.withheld(1), hub.withheld(2)]).toEqual([undefined, undefined]);
  expect(await relay.pending("notice", "task_unavailable")).toEqual([]);
  await storageWorks();
  expect(await audited(hub)).toEqual(audit);
  expect((await relay.ready()).number).toBe(1);
  await put(hub, { contribute_announcement: "the next change" });
  expect((await relay.next("notice")).message).toBe("the next change");
  await hub.restart();
  expect((await hub.admin("GET", PATH)).body).toEqual({
    ...(before.body as object),
    contribute_announcement: "the next change",
  });
});

test("an announcement reaches every connected relay, and those that come later", async () => {
  await using hub = await TestHub.start();
  const here = await hub.relay("alice");
  await put(hub, { contribute_announcement: "maintenance at noon" });
  expect((await here.next("notice")).message).toBe("maintenance at noon");
  const later = await hub.relay("bob");
  expect((await later.next("notice")).message).toBe("maintenance at noon");
  expect((await hub.call("GET", "/api/contribute/status")).body).toMatchObject({ announcement: "maintenance at noon" });
});

test("registration can be opened and closed", async () => {
  await using hub = await TestHub.start();
  await put(hub, { open_registration: false });
  const answer = await hub.call("POST", "/api/contribute/register", { github_username: "alice" });
  expect(answer.status).toBe(401);
  await put(hub, { open_registration: true });
  expect((await hub.register("alice")).registration_token).toHaveLength(64);
});
