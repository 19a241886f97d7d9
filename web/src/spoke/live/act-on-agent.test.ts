import type { nestAgents } from "@nest/protocol";
import { expect, test } from "vitest";
import { actOnAgent } from "./act-on-agent.ts";
import { live, putAgent } from "./live.ts";

const anAgent = (changes: Partial<nestAgents.NestAgent> = {}): nestAgents.NestAgent => ({
  name: "builder",
  backend: "claude",
  enabled: true,
  state: "waiting",
  autonomy: "advise",
  held: false,
  interval_seconds: 600,
  session: "nest-builder",
  restarts: 0,
  spending: { runs: 0, minutes: 0, tokens: 0, cost_usd: 0, limits: {} },
  ...changes,
});
const shown = () => live.get().agents?.map(({ state }) => state);

test("an act is shown at once, and the answer takes the guess's place", async () => {
  putAgent(anAgent());
  const answer = Promise.withResolvers<{ value: { agent: nestAgents.NestAgent } }>();
  const acted = actOnAgent(anAgent(), { state: "starting" }, () => answer.promise);
  expect(shown()).toEqual(["starting"]);
  answer.resolve({ value: { agent: anAgent({ state: "running" }) } });
  await acted;
  expect(shown()).toEqual(["running"]);
});

test("an act that fails is taken back, and told to whoever asked for it", async () => {
  putAgent(anAgent());
  const acted = actOnAgent(anAgent(), { state: "starting" }, () => Promise.reject(new Error("no")));
  await expect(acted).rejects.toThrow("no");
  expect(shown()).toEqual(["waiting"]);
});

test("what the stream brought meanwhile is not taken back", async () => {
  putAgent(anAgent());
  const answer = Promise.withResolvers<never>();
  const acted = actOnAgent(anAgent(), { state: "starting" }, () => answer.promise);
  putAgent(anAgent({ state: "disabled" }));
  answer.reject(new Error("no"));
  await expect(acted).rejects.toThrow("no");
  expect(shown()).toEqual(["disabled"]);
});
