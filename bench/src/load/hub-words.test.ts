import { expect, test } from "vitest";
import { readHubWord } from "./hub-words.ts";

const assign = {
  type: "task_assign",
  seq: 3,
  task_id: "t-9",
  task_gen: 41,
  kind: "issue",
  repo: "acme/site",
  number: 7,
  title: "x",
};

test("an assignment gives task, generation and issue", () => {
  expect(readHubWord(JSON.stringify(assign))).toEqual({
    type: "task_assign",
    taskId: "t-9",
    gen: "41",
    issue: "acme/site#7",
  });
});

test("a message whose type does not come first is understood too", () => {
  const { type, ...rest } = assign;
  expect(readHubWord(JSON.stringify({ ...rest, type }))).toMatchObject({ type: "task_assign", gen: "41" });
});

test("a refusal gives its reason", () => {
  expect(readHubWord('{"type":"task_unavailable","seq":1,"reason":"hourly_limit"}')).toEqual({
    type: "task_unavailable",
    reason: "hourly_limit",
  });
});

test("what is not needed is ignored", () => {
  expect(readHubWord('{"type":"notice","message":"hello"}')).toEqual({ type: "other" });
});
