import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Governor } from "@nest/governor";
import type { nestAgents } from "@nest/protocol";
import { afterAll, expect, test } from "vitest";
import { type DeepHealthDeps, deepHealth } from "./deep.ts";

const NOW = Date.UTC(2026, 10, 22, 12);
const MINUTE = 60_000;
const folder = mkdtempSync(join(tmpdir(), "nest-deep-health-"));
const unwritable = join(folder, "unwritable");
// The superuser may write anywhere: what stands in a file's place stops everybody.
mkdirSync(join(unwritable, "audit.jsonl"), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));
const anAgent: nestAgents.NestAgent = {
  name: "scanner",
  backend: "claude",
  enabled: true,
  state: "waiting",
  autonomy: "advise",
  held: true,
  interval_seconds: 600,
  session: "nest-scanner",
  restarts: 0,
  spending: { runs: 0, minutes: 0, tokens: 0, cost_usd: 0, limits: {} },
};

/** What the checks ask of a governor, as plain values. */
function aGovernor(more: { agents?: object[]; repos?: object[]; lastEvalAt?: number } = {}): Governor {
  return {
    settings: { evalIntervalMs: 5 * MINUTE },
    agents: more.agents ?? [anAgent],
    status: {
      last_eval_at: new Date(more.lastEvalAt ?? NOW).toISOString(),
      repos: more.repos ?? [{ repo: "acme/web", issues: 1, pull_requests: 0 }],
    },
  } as unknown as Governor;
}

const check = (more: Partial<DeepHealthDeps> = {}) =>
  deepHealth({
    governor: aGovernor(),
    startedAt: NOW,
    now: NOW,
    unlinked: undefined,
    hub: { lastOutcome: { kind: "accepted" } },
    backupTrouble: async () => undefined,
    ledgerProblems: async () => 0,
    notificationTrouble: () => [],
    configurationTrouble: async () => [],
    dataFolder: folder,
    ...more,
  });
const failing = { repo: "acme/api", issues: 0, pull_requests: 0, error: "not found" };

test("a nest that is well says so, check by check", async () => {
  const { checks } = await check();
  expect(Object.keys(checks)).toEqual([
    "code_host",
    "governor",
    "agents",
    "hub_heartbeat",
    "ledger",
    "backup",
    "notifications",
    "configuration",
    "data_disk",
  ]);
  const others = Object.entries(checks).filter(([name]) => name !== "data_disk");
  expect(others.map(([, { status }]) => status)).toEqual(others.map(() => "ok"));
});

test.each<[string, string, string, Partial<DeepHealthDeps>]>([
  ["code_host", "critical", "github.installation_id", { unlinked: "github.installation_id is not set" }],
  [
    "code_host",
    "critical",
    "the repository cannot be read; acme/api: not found",
    { governor: aGovernor({ repos: [failing] }) },
  ],
  [
    "code_host",
    "degraded",
    "acme/api: not found",
    { governor: aGovernor({ repos: [failing, { repo: "acme/web", issues: 1, pull_requests: 0 }] }) },
  ],
  ["governor", "critical", "20 min ago", { governor: aGovernor({ lastEvalAt: NOW - 20 * MINUTE }) }],
  [
    "agents",
    "degraded",
    "scanner: it needs a login",
    {
      governor: aGovernor({
        agents: [{ ...anAgent, state: "paused", pause: { cause: "login", reason: "it needs a login", since: "" } }],
      }),
    },
  ],
  [
    "agents",
    "ok",
    "the agent is well",
    {
      governor: aGovernor({
        agents: [{ ...anAgent, state: "paused", pause: { cause: "person", reason: "lunch", since: "" } }],
      }),
    },
  ],
  [
    "agents",
    "degraded",
    "the agent stands still: the nest's budget is used up",
    {
      governor: aGovernor({
        agents: [
          {
            ...anAgent,
            state: "paused",
            pause: { cause: "budget", reason: "the nest's budget is used up", since: "" },
          },
        ],
      }),
    },
  ],
  [
    "agents",
    "degraded",
    "scanner: there is no backend called nosuchcli",
    { governor: aGovernor({ agents: [{ ...anAgent, backend: "nosuchcli" }] }) },
  ],
  ["code_host", "degraded", "no repository is monitored", { governor: aGovernor({ repos: [] }) }],
  [
    "code_host",
    "critical",
    "the token is wrong or no longer valid",
    { governor: aGovernor({ repos: [{ ...failing, error: "the code host refused it (401)" }] }) },
  ],
  ["governor", "ok", "less than a minute ago", {}],
  ["data_disk", "critical", "the data folder cannot be written to", { dataFolder: unwritable }],
  ["hub_heartbeat", "degraded", "NEST_HUB_SECRET", { hub: { lastOutcome: { kind: "rejected", status: 401 } } }],
  ["hub_heartbeat", "ok", "reports to no hub", { hub: undefined }],
  ["ledger", "degraded", "3 lines", { ledgerProblems: async () => 3 }],
  ["backup", "degraded", "no key", { backupTrouble: async () => "there is no key" }],
  ["notifications", "degraded", "mail: refused", { notificationTrouble: () => ["mail: refused"] }],
  ["configuration", "degraded", "nest.yaml: no YAML", { configurationTrouble: async () => ["nest.yaml: no YAML"] }],
  ["data_disk", "critical", "no such file", { dataFolder: "/no/such/folder" }],
])("the check %s is %s: %s", async (name, status, words, more) => {
  const { status: overall, checks } = await check(more);
  expect(checks[name]).toEqual({ status, detail: expect.stringContaining(words) });
  if (status === "critical") expect(overall).toBe("critical");
});
