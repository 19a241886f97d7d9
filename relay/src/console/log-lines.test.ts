import { expect, test } from "vitest";
import { logLines } from "./log-lines.ts";

test("a log line is one JSON object with time, level, program, fields and message", () => {
  const lines: string[] = [];
  logLines("nest-relay", { write: (line) => lines.push(line), now: () => 0 }).warn(
    { hub: "h", retry_ms: 5 },
    "hub away\nfor long",
  );
  expect(lines).toEqual([
    '{"level":40,"time":"1970-01-01T00:00:00.000Z","program":"nest-relay","hub":"h","retry_ms":5,"msg":"hub away\\nfor long"}\n',
  ]);
});

test("a log line holds no secret by name, at any depth, and survives what is no JSON", () => {
  const lines: string[] = [];
  const log = logLines("nest-relay", { write: (line) => lines.push(line), now: () => 0 });
  log.info({ registration_token: "a", deep: { github_token: "b", apiKey: "c", number: 1 } }, "x");
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  log.error({ loop, big: 1n }, "y");
  expect(lines[0]).not.toMatch(/"[abc]"/);
  expect(lines[0]).toContain('"number":1');
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({ level: 50, msg: "y" });
});

test("a log line has nothing in it that a terminal obeys or that turns the direction of writing", () => {
  const lines: string[] = [];
  const said = "\u009b31m \u001b[2J \u202e \u0000 \u2066";
  logLines("nest-relay", { write: (line) => lines.push(line) }).info({ tier: said, deep: { [said]: said } }, said);
  expect(lines[0]?.trimEnd()).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ tier: said, msg: said });
});

test("a secret is struck out of a log line's texts, and never breaks the line", () => {
  const lines: string[] = [];
  const clean = (text: string) => text.replaceAll('"hub":', "[secret]").replaceAll("a-secret", "[secret]");
  logLines("nest-relay", { write: (line) => lines.push(line), clean }).info({ hub: "a-secret" }, 'x "hub": y');
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ hub: "[secret]", msg: "x [secret] y" });
});
