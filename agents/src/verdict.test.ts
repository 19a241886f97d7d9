import { describe, expect, test } from "vitest";
import { asksForVerdict, pullRequestLink, readVerdict, VERDICT_REQUEST, verdictLines } from "./verdict.ts";

describe("a verdict", () => {
  test.each([
    ["NEST_VERDICT: complete", { word: "complete" }],
    ["HIVE_VERDICT: complete", { word: "complete" }],
    ["NEST_VERDICT: blocked waits for the maintainer", { word: "blocked", reason: "waits for the maintainer" }],
    ["NEST_VERDICT: no_work_needed [fixed by #7]", { word: "no_work_needed", reason: "fixed by #7" }],
    ["**NEST_VERDICT: no_work_needed — done already**", { word: "no_work_needed", reason: "done already" }],
    ["│ ● NEST_VERDICT: complete │", { word: "complete" }],
    ["\u001b[1mNEST_VERDICT: complete\u001b[0m\r", { word: "complete" }],
    ["NEST_VERDICT: Complete", { word: "complete" }],
  ])("%j is read", (line, verdict) => {
    expect(readVerdict(`before\n${line}\nafter`)).toEqual(verdict);
  });

  test.each([
    "NEST_VERDICT: complete|no_work_needed|blocked [reason]",
    "NEST_VERDICT: completed",
    "please end with NEST_VERDICT: complete",
    "MY_VERDICT: complete",
    "NEST_VERDICT:",
    VERDICT_REQUEST,
  ])("%j is none", (line) => {
    expect(readVerdict(line)).toBeUndefined();
  });

  test("that comes last wins", () => {
    expect(readVerdict("NEST_VERDICT: blocked no\nNEST_VERDICT: complete")).toEqual({ word: "complete" });
  });

  test("has a reason of at most 200 characters", () => {
    expect(readVerdict(`NEST_VERDICT: blocked ${"x".repeat(900)}`)?.reason).toHaveLength(200);
  });

  test("is asked for by the request and by the hub's own words", () => {
    expect(asksForVerdict(VERDICT_REQUEST)).toBe(true);
    expect(asksForVerdict("end with HIVE_VERDICT: complete")).toBe(true);
    expect(asksForVerdict("fix the verdict page")).toBe(false);
  });
});

describe("a pull-request link", () => {
  const link = (output: string) => pullRequestLink(output, "acme/web", "https://codehost.example");

  test.each([
    ["https://codehost.example/acme/web/pull/13", "https://codehost.example/acme/web/pull/13"],
    ["see https://codehost.example/acme/web/pull/13/files#r1.", "https://codehost.example/acme/web/pull/13"],
    ["(https://codehost.example/Acme/Web/pull/13)", "https://codehost.example/Acme/Web/pull/13"],
  ])("in %j is cut after the number", (output, expected) => {
    expect(link(output)).toBe(expected);
  });

  test("that comes last counts", () => {
    const base = "https://codehost.example/acme/web/pull/";
    expect(link(`${base}1 and ${base}22`)).toBe(`${base}22`);
  });

  test.each([
    "https://codehost.example/acme/web2/pull/13",
    "https://codehost.example/acme/other/pull/13",
    "https://elsewhere.example/acme/web/pull/13",
    "https://codehost.example/acme/web/pull/new/branch",
    "https://codehost.example/acme/web/issues/13",
    "https://codehost.example/acme/web/pull/12345678901",
  ])("%s does not count", (output) => {
    expect(link(output)).toBeUndefined();
  });
});

test.each([
  ["spaces", " "],
  ["decorations", "*_|"],
])("a verdict line with a megabyte of %s is read as fast as any other", (_what, filling) => {
  const line = `NEST_VERDICT: complete ${filling.repeat(1_000_000)}x`;
  expect(verdictLines(`${line}\n${line}`).map(({ word }) => word)).toEqual(["complete", "complete"]);
});
