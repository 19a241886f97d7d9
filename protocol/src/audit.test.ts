import { expect, test } from "vitest";
import { auditActions, describeAudit } from "./audit.ts";

test("every action can be chosen by a label of its own, and has words and a tone", () => {
  for (const { action, label } of auditActions) {
    const { words, tone } = describeAudit(action);
    expect([words, label], action).not.toContain("");
    expect(["good", "bad", "neutral"], action).toContain(tone);
  }
  expect(new Set(auditActions.map(({ label }) => label)).size).toBe(auditActions.length);
  expect(new Set(auditActions.map(({ action }) => describeAudit(action).words)).size).toBe(auditActions.length);
});

test("promotions, ended holds, ended waits and renamed accounts can be chosen", () => {
  expect(auditActions.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["promoted", "queue hold ended", "wait ended", "renamed", "login given up"]),
  );
});

test.each(["constructor", "an action of next year"])(
  "%s, which is no action of this release, reads as it came",
  (action) => {
    expect(describeAudit(action)).toEqual({ tone: "neutral", words: action, namesSubject: true });
  },
);
