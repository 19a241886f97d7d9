import type { nestAgents } from "@nest/protocol";
import { expect, test } from "vitest";
import { autonomyOf, endOfPause, nextTurnOf, stateOf, whyNoKick } from "./agent-words.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const inMinutes = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString();

const anAgent = (changes: Partial<nestAgents.NestAgent> = {}): nestAgents.NestAgent => ({
  name: "builder",
  backend: "claude",
  enabled: true,
  state: "waiting",
  autonomy: "pull_requests",
  held: false,
  interval_seconds: 600,
  session: "nest-builder",
  restarts: 0,
  spending: { runs: 0, minutes: 0, tokens: 0, cost_usd: 0, limits: {} },
  ...changes,
});

test.each<[Partial<nestAgents.NestAgent>, string | undefined]>([
  [{ next_at: inMinutes(5) }, "in 5 min, every 10 min"],
  [{ next_at: inMinutes(-1) }, "due as soon as there is work for it, every 10 min"],
  [{ next_at: inMinutes(0.01) }, "due as soon as there is work for it, every 10 min"],
  [{}, "every 10 min"],
  [{ interval_seconds: null }, "none: the mode in force lets it rest"],
  [{ state: "paused" }, "when the pause ends"],
  [{ state: "running" }, undefined],
])("the next turn of an agent with %j: %s", (changes, said) => {
  expect(nextTurnOf(anAgent(changes), NOW)).toBe(said);
});

test("an agent that is due and has nothing to do is said to have nothing to do", () => {
  expect(nextTurnOf(anAgent({ next_at: inMinutes(0) }), NOW, 0)).toBe("due, but no issue waits, every 10 min");
});

test("a running agent that waits for a login is not said to be at work", () => {
  expect(stateOf(anAgent({ state: "running", waits_for: "a login" })).words).toBe("waits for people");
  expect(stateOf(anAgent({ state: "running" })).words).toBe("at work");
});

test("a pause that nobody gave an end is ended by a person", () => {
  const pause = { cause: "person", reason: "a look", since: inMinutes(-5) } as const;
  expect(endOfPause(pause, NOW)).toBe("until a person ends it");
  expect(endOfPause({ ...pause, until: inMinutes(90) }, NOW)).toMatch(/^for 1 h 30 min more, until /);
});

test("held pull requests are said where pull requests can be opened", () => {
  expect(autonomyOf({ autonomy: "pull_requests", held: true })).toBe("opens pull requests, which wait for a person");
  expect(autonomyOf({ autonomy: "advise", held: true })).toBe("reads and advises");
});

test.each<[nestAgents.NestAgent["state"], boolean]>([
  ["waiting", false],
  ["unready", false],
  ["running", true],
  ["paused", true],
  ["disabled", true],
])("an agent that is %s cannot be kicked: %s", (state, refused) => {
  expect(whyNoKick(anAgent({ state })) !== undefined).toBe(refused);
});

test("an agent that only the mode lets rest can be set to work by hand", () => {
  const pause = { cause: "mode", reason: "the mode idle lets it rest", since: inMinutes(-5) } as const;
  expect(whyNoKick(anAgent({ state: "paused", pause }))).toBeUndefined();
});
