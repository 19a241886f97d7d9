import { expect, test } from "vitest";
import { agentRemoval, channelRemoval, modeRemoval } from "./removal.ts";
import { namesIn, removedIn } from "./values.ts";

const savedHere = () => "dashboard";
const config = {
  agents: { builder: { backend: "claude" }, reviewer: {}, old: false },
  governor: {
    modes: {
      busy: { threshold: 5, builder: "10m", reviewer: "pause" },
      idle: { threshold: 0, builder: "4h" },
      gone: false,
    },
  },
};

test("what the removal of an agent does is said in numbers: the run that ends, the intervals that go", () => {
  const { consequences, change } = agentRemoval("builder", config, savedHere, {
    run_id: "r-1",
    working_on: "acme/web#3",
  });
  expect(consequences).toEqual([
    "1 run ends, the one on acme/web#3.",
    "2 intervals go: busy 10m, idle 4h.",
    "Its ledger and the records of its runs stay.",
  ]);
  expect(change).toEqual({
    agents: { builder: false },
    governor: { modes: { busy: { builder: null }, idle: { builder: null } } },
  });
});

test("intervals that nest.yaml has are said to stay in it, and nothing is saved that would not take them out", () => {
  const layerOf = (key: string) => (key === "governor.modes.busy.builder" ? "seed" : "dashboard");
  const { consequences, change } = agentRemoval("builder", config, layerOf, {});
  expect(consequences.slice(1, 3)).toEqual([
    "1 interval goes: idle 4h.",
    "1 interval stays in nest.yaml, without effect: busy 10m.",
  ]);
  expect(change).toEqual({ agents: { builder: false }, governor: { modes: { idle: { builder: null } } } });
  const ofSeed = agentRemoval("builder", config, () => "seed", {});
  expect(ofSeed.consequences[1]).toBe("2 intervals stay in nest.yaml, without effect: busy 10m, idle 4h.");
  expect(ofSeed.change).toEqual({ agents: { builder: false } });
});

test("the removal of an agent that rests, and that no mode names, ends nothing", () => {
  const { consequences, change } = agentRemoval("builder", { agents: config.agents }, savedHere, {});
  expect(consequences.slice(0, 2)).toEqual(["No run ends: it is not at work.", "No mode has an interval for it."]);
  expect(change).toEqual({ agents: { builder: false } });
});

test("what the removal of a mode does is said in numbers", () => {
  expect(modeRemoval("busy", config, "busy")).toMatchObject({
    consequences: [
      "It is the mode now: another one takes its place at once.",
      "No run ends.",
      "2 intervals go: builder 10m, reviewer pause.",
      "1 mode stays.",
    ],
    change: { governor: { modes: { busy: false } } },
  });
  const left = { ...config, agents: { builder: {} } };
  expect(modeRemoval("busy", left, undefined).consequences[2]).toBe("1 interval goes: builder 10m.");
});

test("no mode is said to take the place of the last one", () => {
  const alone = { governor: { modes: { idle: { threshold: 0 } } } };
  const { consequences } = modeRemoval("idle", alone, "idle");
  expect(consequences[0]).toBe("It is the mode now, and no other takes its place.");
  expect(consequences.at(-1)).toBe("No mode is left: every agent works every 15 minutes.");
});

test("messages that wait for a channel that is removed are said to be lost", () => {
  expect(channelRemoval("phone", 3).consequences[0]).toBe("3 messages that waited are lost.");
  expect(channelRemoval("phone", 0).consequences[0]).toBe("No message is lost.");
});

test("an entry that was removed here is none of the entries, and can be brought back", () => {
  expect([namesIn(config, "agents"), removedIn(config, "agents")]).toEqual([["builder", "reviewer"], ["old"]]);
});
