import { KnownSecrets } from "@nest/agents";
import type { RelayMessage } from "@nest/protocol";
import { describe, expect, test } from "vitest";
import { frameText, withoutSecrets } from "./outgoing.ts";

const REPORT: Extract<RelayMessage, { type: "task_complete" }> = {
  type: "task_complete",
  task_id: "task-of-the-honest-hub",
  task_gen: 7,
  result: "completed",
  summary: "done",
  tmux_output: ['a quote " and "task_id": and more'],
  verdict: "no_work_needed",
  pr_url: "https://github.com/acme/web/pull/7",
};

function knowing(...credentials: string[]): KnownSecrets {
  const secrets = new KnownSecrets(["an-own-secret"]);
  for (const credential of credentials) secrets.learn({}, credential);
  return secrets;
}

describe("a report", () => {
  test.each([
    ['"task_id":'],
    ["task-of-the-honest-hub"],
    ["completed"],
    ["no_work_needed"],
    ["task_complete"],
    ["https://github.com/acme/web/pull/"],
  ])("reads the same to its hub when another hub hands out %j as a credential", (credential) => {
    const text = frameText(REPORT, 1, { redaction: knowing(credential) });
    const { tmux_output: _words, ...decides } = REPORT;
    expect(JSON.parse(text)).toMatchObject(decides);
  });

  test("holds no secret in its words", () => {
    const clean = withoutSecrets({ ...REPORT, summary: "ghs_credential and an-own-secret" }, knowing("ghs_credential"));
    expect(clean).toMatchObject({ summary: "[secret] and [secret]" });
  });

  test("holds no secret that goes over the end of a line of the terminal", () => {
    const secrets = new KnownSecrets(["first-half\nsecond-half"]);
    const clean = withoutSecrets({ ...REPORT, tmux_output: ["key: first-half", "second-half"] }, secrets);
    expect(clean).toMatchObject({ tmux_output: ["key: [secret]"] });
  });

  test("that is too long for its hub loses the terminal's earliest lines first, and keeps its words", () => {
    const lines = Array.from({ length: 1000 }, (_, nth) => `${nth} ${"x".repeat(100)}`);
    const text = frameText({ ...REPORT, tmux_output: lines }, 1, { redaction: knowing(), hubLimit: 16_384 });
    expect(Buffer.byteLength(text)).toBeLessThan(16_384 - 4096);
    const { tmux_output: kept, summary } = JSON.parse(text) as { tmux_output: string[]; summary: string };
    expect(kept.at(-1)).toBe(lines.at(-1));
    expect(kept.length).toBeGreaterThan(10);
    expect(summary).toBe("done");
  });

  test("of any field loses the contributor's own secrets", () => {
    const answer = { type: "auth_response", registration_token: "an-own-secret", model: "an-own-secret" } as const;
    expect(withoutSecrets({ ...answer, capabilities: { os: "an-own-secret" } }, knowing())).toEqual({
      ...answer,
      model: "[secret]",
      capabilities: { os: "[secret]" },
    });
  });
});
