import { durations } from "@nest/protocol";
import { expect, test } from "vitest";
import { disconnect, endFailurePause, reissue, requeue, revoke, setting, trust, unrevoke } from "./admin-commands.ts";
import type { SettingChange } from "./commands.ts";
import { messagesTo } from "./messages.ts";
import {
  aContributor,
  aDecider,
  ada,
  aLease,
  feedOf,
  type InTheLedger,
  NOW,
  type SmallDecider,
} from "./testing/small-decider.ts";

const WHO = { contributorId: "c-ada", actor: "grace" } as const;
const DONE = { kind: "done", released: [] };
const NOBODY = { kind: "refused", code: "not_found", because: "no such contributor" };
const REVOKED = "contribution access revoked";
const away = aLease(2, { connection: undefined });
const revoked: InTheLedger = { contributors: [aContributor({ tier: "revoked" })] };

const ALL = { kind: "requeue", ...WHO, taskId: undefined, session: undefined, reason: undefined } as const;

test.each<[string, (decider: SmallDecider) => unknown]>([
  ["a new token", (decider) => reissue(decider, { kind: "reissue", contributorId: "c-ada", tokenDigest: "new" }, NOW)],
  ["another tier", (decider) => trust(decider, { kind: "trust", ...WHO, tier: "trusted" }, NOW)],
  ["revocation", (decider) => revoke(decider, { kind: "revoke", ...WHO }, NOW)],
  ["access again", (decider) => unrevoke(decider, { kind: "unrevoke", ...WHO, reason: "a mistake" }, NOW)],
  ["an end of a pause", (decider) => endFailurePause(decider, { kind: "end_failure_pause", ...WHO }, NOW)],
  ["a requeue", (decider) => requeue(decider, ALL, NOW)],
  [
    "a cut connection",
    (decider) => disconnect(decider, { kind: "disconnect", ...WHO, connection: "conn-here-1" }, NOW),
  ],
])("%s for somebody whom nobody knows is refused, and changes nothing", (_what, order) => {
  const decider = aDecider({ contributors: [] });
  expect(order(decider)).toEqual([NOBODY]);
  expect(decider.ledger.isDirty).toBe(false);
});

test("a new token takes the old one's place, its sockets close, and the audit shows neither", () => {
  const decider = aDecider();
  expect(reissue(decider, { kind: "reissue", contributorId: "c-ada", tokenDigest: "new" }, NOW)).toEqual([
    { kind: "close", contributorId: "c-ada", reason: "a new registration token was issued" },
    DONE,
  ]);
  expect(decider.ledger.contributorByDigest("digest")).toBeUndefined();
  expect(decider.ledger.contributorByDigest("new")).toEqual(aContributor({ tokenDigest: "new" }));
  const [line] = decider.ledger.changes.audit;
  expect(line).toEqual({
    at: NOW,
    actor: "Ada",
    action: "token reissued",
    subject: "Ada",
    before: "[secret]",
    after: "[secret]",
  });
});

test("a revoked contributor gets no new token and no tier", () => {
  const decider = aDecider(revoked);
  const reissued = reissue(decider, { kind: "reissue", contributorId: "c-ada", tokenDigest: "new" }, NOW);
  expect(reissued).toEqual([{ kind: "refused", code: "revoked", because: "access was revoked" }]);
  const trusted = trust(decider, { kind: "trust", ...WHO, tier: "trusted" }, NOW);
  expect(trusted).toEqual([{ kind: "refused", code: "revoked", because: "access was revoked; give it again first" }]);
  expect(decider.ledger.isDirty).toBe(false);
});

test("access that is given again is a newcomer's, whom nothing from before promotes or pauses; the reason is audited", () => {
  const before = { verified: 20, promotionBase: 3, streak: 2, pausedUntil: NOW + 1 };
  const decider = aDecider({ contributors: [aContributor({ ...before, tier: "revoked" })] });
  expect(unrevoke(decider, { kind: "unrevoke", ...WHO, reason: "a mistake" }, NOW)).toEqual([DONE]);
  const after = { tier: "newcomer", verified: 20, promotionBase: 20, streak: 0, pausedUntil: 0 } as const;
  const text = "your access was restored: a mistake";
  expect(decider.ledger.contributor("c-ada")).toEqual(aContributor(after));
  expect(decider.ledger.changes.audit).toEqual([
    { at: NOW, actor: "grace", action: "access restored", subject: "Ada", before: "revoked", after: "a mistake" },
    { at: NOW, actor: "grace", action: "message", subject: "Ada", before: null, after: text },
  ]);
  expect(messagesTo(decider.ledger, "c-ada")).toEqual([{ at: NOW, by: "grace", text }]);
  expect(feedOf(decider)).toEqual(["Ada access restored"]);
});

test("who has access is not given it again, and a pause after failures that is over is not ended", () => {
  const decider = aDecider({ contributors: [aContributor({ pausedUntil: NOW })] });
  expect(unrevoke(decider, { kind: "unrevoke", ...WHO, reason: "" }, NOW)).toMatchObject([{ code: "moved" }]);
  expect(endFailurePause(decider, { kind: "end_failure_pause", ...WHO }, NOW)).toMatchObject([{ code: "moved" }]);
  expect(decider.ledger.isDirty).toBe(false);
});

test("the end of a pause after failures begins their count anew", () => {
  const decider = aDecider({ contributors: [aContributor({ streak: 2, pausedUntil: NOW + 1 })] });
  expect(endFailurePause(decider, { kind: "end_failure_pause", ...WHO }, NOW)).toEqual([DONE]);
  expect(decider.ledger.contributor("c-ada")).toEqual(aContributor({ streak: 0, pausedUntil: 0 }));
  const text = "the pause after your failures was ended";
  expect(messagesTo(decider.ledger, "c-ada")).toEqual([{ at: NOW, by: "grace", text }]);
});

test("a tier that an admin sets holds at once, and is audited and told", () => {
  const decider = aDecider();
  expect(trust(decider, { kind: "trust", ...WHO, tier: "trusted" }, NOW)).toEqual([
    { kind: "standing", contributorId: "c-ada", tier: "trusted" },
    DONE,
  ]);
  expect(decider.ledger.contributor("c-ada")?.tier).toBe("trusted");
  expect(decider.ledger.changes.audit).toEqual([
    { at: NOW, actor: "grace", action: "trust", subject: "Ada", before: "newcomer", after: "trusted" },
  ]);
  expect(feedOf(decider)).toEqual(["Ada trust changed (trusted)"]);
});

test("the same tier again is audited, and the feed says nothing of it", () => {
  const decider = aDecider();
  trust(decider, { kind: "trust", ...WHO, tier: "newcomer" }, NOW);
  expect([feedOf(decider), decider.ledger.changes.audit.length]).toEqual([[], 1]);
});

test.each<[string, (decider: SmallDecider) => unknown]>([
  ["revocation", (decider) => revoke(decider, { kind: "revoke", ...WHO }, NOW)],
  ["the tier `revoked`", (decider) => trust(decider, { kind: "trust", ...WHO, tier: "revoked" }, NOW)],
])("%s is at once: held tasks end, sockets close, and it is audited", (_what, order) => {
  const decider = aDecider({ leases: [aLease(1), away] });
  expect(order(decider)).toEqual([
    { kind: "revoke", connection: ada.connection, taskId: "t-1", reason: REVOKED },
    { kind: "close", contributorId: "c-ada", reason: "access revoked" },
    { kind: "done", released: ["t-1", "t-2"] },
  ]);
  expect(decider.ledger.contributor("c-ada")).toEqual(aContributor({ tier: "revoked" }));
  expect(decider.ledger.changes.endings).toMatchObject(
    ["t-1", "t-2"].map((taskId) => ({ lease: { taskId }, outcome: "revoked", reason: REVOKED, endedAt: NOW })),
  );
  const hold = { holdReason: "requeued", holdUntil: NOW + durations.dropHoldMs, failures: 0 };
  for (const { key } of [aLease(1), away]) expect(decider.ledger.item(key)).toMatchObject(hold);
  expect(decider.ledger.changes.audit).toEqual([
    { at: NOW, actor: "grace", action: "revoked", subject: "Ada", before: "newcomer", after: "revoked" },
  ]);
  expect(feedOf(decider)).toEqual(["Ada access revoked"]);
});

test("who is revoked already is cut off again, and not audited twice", () => {
  const decider = aDecider(revoked);
  const effects = trust(decider, { kind: "trust", ...WHO, tier: "revoked" }, NOW);
  expect(effects).toEqual([{ kind: "close", contributorId: "c-ada", reason: "access revoked" }, DONE]);
  expect(decider.ledger.isDirty).toBe(false);
});

const twoSessions = [
  aLease(1, { identity: "c-ada#desk" }),
  aLease(2, { identity: "c-ada#laptop", connection: undefined }),
];

test.each<[string, object, string[]]>([
  ["everything", {}, ["t-1", "t-2"]],
  ["one task", { taskId: "t-2" }, ["t-2"]],
  ["what one session holds", { session: "desk" }, ["t-1"]],
])("a requeue takes back %s", (_what, chosen, released) => {
  const decider = aDecider({ leases: twoSessions });
  expect(requeue(decider, { ...ALL, ...chosen }, NOW).at(-1)).toEqual({ kind: "done", released });
  expect(decider.ledger.changes.endings.map(({ lease }) => lease.taskId)).toEqual(released);
});

test.each<[string, object]>([
  ["another task", { taskId: "t-9" }],
  ["another session's", { session: "shed" }],
  ["a task of another session's", { taskId: "t-1", session: "laptop" }],
])("a requeue of %s is refused", (_what, chosen) => {
  const decider = aDecider({ leases: twoSessions });
  const because = "this contributor holds no such task";
  expect(requeue(decider, { ...ALL, ...chosen }, NOW)).toEqual([{ kind: "refused", code: "not_found", because }]);
  expect(decider.ledger.isDirty).toBe(false);
});

test("a requeue counts nothing, holds the issue for ten minutes, and is told with its reason", () => {
  const decider = aDecider({ leases: twoSessions });
  const reason = "it runs in circles";
  expect(requeue(decider, { ...ALL, reason }, NOW)).toEqual([
    { kind: "revoke", connection: ada.connection, taskId: "t-1", reason },
    { kind: "done", released: ["t-1", "t-2"] },
  ]);
  expect(decider.ledger.changes.endings[0]).toMatchObject({ outcome: "requeued", reason, endedAt: NOW });
  const hold = { holdReason: "requeued", holdUntil: NOW + durations.dropHoldMs, failures: 0 };
  expect(decider.ledger.item("acme/one#1")).toMatchObject(hold);
  expect(decider.ledger.changes.audit[0]).toEqual({
    at: NOW,
    actor: "grace",
    action: "requeue",
    subject: "Ada acme/one#1",
    before: "t-1",
    after: reason,
  });
  const line = `Ada yanked by operator (${reason})`;
  expect(feedOf(decider)).toEqual([line, line]);
});

test("a requeue without a reason says that an operator did it", () => {
  const decider = aDecider({ leases: [aLease(1)] });
  expect(requeue(decider, ALL, NOW)).toMatchObject([{ reason: "taken back by an operator" }, {}]);
  expect(feedOf(decider)).toEqual(["Ada yanked by operator"]);
});

test("one connection is cut, what it holds is kept, and it is audited", () => {
  const decider = aDecider({ leases: [aLease(1)] });
  expect(disconnect(decider, { kind: "disconnect", ...WHO, connection: "conn-here-1" }, NOW)).toEqual([
    { kind: "close", contributorId: "c-ada", only: "conn-here-1", reason: "disconnected by an operator" },
    DONE,
  ]);
  expect(decider.ledger.changes.audit).toEqual([
    { at: NOW, actor: "grace", action: "disconnected", subject: "Ada conn-here-1" },
  ]);
  expect(decider.ledger.leaseCount).toBe(1);
});

function afterSetting(change: SettingChange | undefined, expected?: unknown) {
  const decider = aDecider({ settings: { order: ["a"] } });
  const from = expected === undefined ? {} : { expected: { value: expected } };
  const effects = setting(decider, { kind: "setting", name: "order", actor: "grace", change, ...from }, NOW);
  const { audit, activity } = decider.ledger.changes;
  return { effects, value: decider.ledger.setting("order"), audit, activity, isDirty: decider.ledger.isDirty };
}

test("a setting is changed from the value in force, audited, and told where there is something to tell", () => {
  const told = { action: "queue order", subject: "queue", before: ["a"], after: ["b"] } as const;
  const change = { value: ["b"], audit: told, activity: { action: "announced", detail: "new" } } as const;
  const { effects, value, audit, activity } = afterSetting(change, ["a"]);
  expect([value, effects]).toEqual([["b"], [DONE]]);
  expect(audit).toEqual([{ at: NOW, actor: "grace", ...told }]);
  expect(activity).toEqual([{ id: 1, at: NOW, login: "hub", action: "announced", detail: "new" }]);
});

test("a setting without anything to tell is changed in silence, whatever was in force", () => {
  const { value, audit, activity } = afterSetting({ value: ["b"] });
  expect([value, audit, activity]).toEqual([["b"], [], []]);
});

test.each<[string, SettingChange | undefined, unknown, object]>([
  ["has nothing to change", undefined, ["a"], DONE],
  ["was made from another value", { value: ["b"] }, ["z"], { kind: "refused", code: "moved" }],
  ["found nothing to change in another value", undefined, ["z"], { kind: "refused", code: "moved" }],
])("a setting whose change %s stays as it is", (_what, change, expected, answer) => {
  const { effects, value, isDirty } = afterSetting(change, expected);
  expect(effects).toMatchObject([answer]);
  expect([value, isDirty]).toEqual([["a"], false]);
});
