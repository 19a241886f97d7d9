import { expect, test } from "vitest";
import { createLog } from "./log.ts";

test("secret fields are replaced before a line is written", () => {
  const lines: string[] = [];
  const log = createLog({ program: "test", to: { write: (line) => void lines.push(line) } });
  log.info({ registration_token: "aaaa", frame: { github_token: "bbbb", repo: "acme/one" } }, "frame received");
  expect(lines.join()).toContain("acme/one");
  expect(lines.join()).not.toMatch(/aaaa|bbbb/);
});
