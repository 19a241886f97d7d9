import { describe, expect, test } from "vitest";
import { type AgentEnd, outcomeOf } from "./outcome.ts";

const work = { repo: "acme/web", webBase: "https://codehost.example", prompt: "Work on acme/web#12." };
const pull = "https://codehost.example/acme/web/pull/13";
const ended = (code: number, output = ""): AgentEnd & { kind: "exited" } => ({ kind: "exited", code, output });

describe("a run that ends with 0", () => {
  test.each([
    [`${pull}\nNEST_VERDICT: complete`, { kind: "completed", verdict: "shipped", pullRequest: pull }],
    ["NEST_VERDICT: complete", { kind: "completed", verdict: "idle" }],
    ["", { kind: "completed", verdict: "idle" }],
    [pull, { kind: "completed", verdict: "shipped", pullRequest: pull }],
    ["NEST_VERDICT: no_work_needed done", { kind: "completed", verdict: "no_work_needed", verdictReason: "done" }],
    ["NEST_VERDICT: blocked why", { kind: "completed", verdict: "blocked", verdictReason: "why" }],
  ])("%j is judged by its words", (output, outcome) => {
    expect(outcomeOf(ended(0, output), work)).toEqual(outcome);
  });

  test("and repeats its prompt is not judged by the prompt's words", () => {
    const prompt = `See ${pull}. End with:\nNEST_VERDICT: blocked`;
    expect(outcomeOf(ended(0, `user\n${prompt}\n`), { ...work, prompt })).toEqual({
      kind: "completed",
      verdict: "idle",
    });
  });
});

describe("a run that ends otherwise", () => {
  test.each([1, 3, 126])("with %d failed on merit, whatever it says", (code) => {
    expect(outcomeOf(ended(code, "NEST_VERDICT: complete"), work)).toEqual({
      kind: "failed",
      failureKind: "task",
      reason: `agent exited with ${code}`,
    });
  });

  test("with an error after a pull request mentions it", () => {
    expect(outcomeOf(ended(1, pull), work)).toMatchObject({ reason: `agent exited with 1, after ${pull}` });
  });

  test.each<Exclude<AgentEnd, { kind: "ended" }>>([
    ended(127),
    ended(137),
    ended(143),
    { kind: "killed", signal: "SIGKILL", output: "NEST_VERDICT: complete" },
    { kind: "not_started", because: "agent could not be started: ENOENT" },
  ])("%j is the environment's failure", (end) => {
    expect(outcomeOf(end, work)).toMatchObject({ kind: "failed", failureKind: "environment" });
  });

  test("by the watchdog failed on merit", () => {
    expect(outcomeOf({ kind: "overdue", afterMs: 1_800_000, output: "" }, work)).toEqual({
      kind: "failed",
      failureKind: "task",
      reason: "task exceeded 30 minutes",
    });
  });
});

test("a failure says that the agent had no login, or its provider no quota left", () => {
  const failing = (output: string) => outcomeOf({ kind: "exited", code: 1, output }, work);
  expect(failing("Invalid API key · Please run /login")).toMatchObject({
    failureKind: "task",
    reason: "agent exited with 1: the agent needs a login",
  });
  expect(failing("You've hit your usage limit.")).toMatchObject({
    reason: "agent exited with 1: the agent's provider says its quota is used up",
  });
});
