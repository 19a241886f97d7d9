import { expect, test } from "vitest";
import { feedLine } from "./feed.ts";

const PULL = "https://code.test/acme/one/pull/7";
const said = (changes: { readonly action: string } & object) =>
  feedLine({ id: 1, timestamp: "2026-01-01T00:00:00Z", username: "ada", ...changes }, "the demo agent").slice(10);

test.each([
  [{ action: "joined", detail: "desk claude" }, "ada connected a relay: the demo agent"],
  [{ action: "picked up", task: "acme/one#1", title: "Fix it" }, "ada took acme/one#1 “Fix it”"],
  [{ action: "completed", task: "acme/one#1", url: PULL }, `ada opened a pull request for acme/one#1: ${PULL}`],
  [{ action: "pull request verified", url: PULL }, `ada opened ${PULL} and the hub verified it`],
  [{ action: "failed", task: "acme/one#1", detail: "exit 3" }, "ada could not finish acme/one#1: exit 3"],
  [{ action: "yanked by operator", task: "acme/one#1" }, "ada had acme/one#1 taken back by an operator"],
  [{ action: "promoted", detail: "trusted" }, "ada was promoted to trusted"],
  [{ action: "picked up", private: true as const }, "ada took something in a private repository"],
  [{ action: "an action of next year", detail: "why" }, "ada an action of next year: why"],
])("%j reads %s", (entry, line) => {
  expect(said(entry)).toBe(line);
});
