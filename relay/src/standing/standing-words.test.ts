import type { myContributions } from "@nest/protocol";
import { expect, test } from "vitest";
import { standingLines } from "./standing-words.ts";

const NOW = Date.parse("2026-05-01T12:00:00Z");
const hub = { address: "wss://hub.example/api/contribute/ws", host: "hub.example", token: "t" };

function found(more: object = {}): myContributions.MyContributions {
  return {
    contributor: { github_username: "ada", trust_tier: "contributor", total_tasks_completed_with_pr: 7 },
    limits: {
      ...{ tier: "contributor", used_hour: 10, max_per_hour: 10, hour_frees_at: "2026-05-01T12:17:00Z" },
      ...{ used_day: 12, max_per_day: 50, held: 1, max_concurrent: 2, next_tier: { tier: "trusted", missing: 13 } },
    },
    sessions: [],
    history: [],
    ...more,
  } as unknown as myContributions.MyContributions;
}

test("limits say what is left and when there is room again; the tier says what the next one needs", () => {
  const [head, tier, limits] = standingLines({ hub, found: found() }, new Set(), NOW);
  expect(head).toBe("hub.example: ada, contributor");
  expect(tier).toBe("  tier        7 verified pull requests; 13 more make you trusted");
  expect(limits).toBe("  limits      0 of 10 left this hour, room in 17 min; 38 of 50 left today; 1 of 2 left at once");
});

test("a task says when, which issue, what became of it, and where to look", () => {
  const history = [
    {
      ...{ repo: "acme/one", number: 12, assigned_at: "2026-05-01T11:00:00Z", url: "https://x.example/12" },
      ...{ outcome: "completed", verdict: "shipped", pr_url: "https://x.example/pull/3", pr_state: "verified" },
    },
  ];
  const lines = standingLines({ hub, found: found({ history }) }, new Set(), NOW);
  expect(lines.at(-1)).toMatch(
    /^ {2}last tasks {2}2026-05-01 11:00 acme\/one#12: .+, verified; https:\/\/x\.example\/pull\/3$/,
  );
});

test("what a hub sends cannot steer the terminal, whichever field it is in", () => {
  const evil = "x\u001b]0;owned\u0007\u001b[2Jy\nz";
  const history = [{ repo: evil, number: 1, assigned_at: evil, url: evil, reason: evil, outcome: "failed" }];
  const sessions = [
    {
      session: evil,
      current_task: evil,
      cli_backend: evil,
      model: evil,
      protocol: { verdict: "older", declared: evil },
    },
  ];
  const contributor = { github_username: evil, trust_tier: evil, total_tasks_completed_with_pr: 0 };
  for (const line of standingLines({ hub, found: found({ history, sessions, contributor }) }, new Set(), NOW))
    expect(line).not.toMatch(/\p{Cc}/u);
});
