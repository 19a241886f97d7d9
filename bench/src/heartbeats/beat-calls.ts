import type { Call } from "../paced/paced-calls.ts";

/** One heartbeat of each of so many nests. */
export function beatCalls(nests: number, secret: string): Call[] {
  return Array.from({ length: nests }, (_, nth) => ({
    method: "POST",
    path: "/api/heartbeat",
    headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
    body: JSON.stringify(beatOf(nth)),
  }));
}

/** What a nest with four agents says. */
function beatOf(nth: number): object {
  const started = new Date(Date.UTC(2026, 0, 1)).toISOString();
  const agents = ["scanner", "builder", "reviewer", "guide"].map((name) => ({
    ...{ name, state: "waiting", backend: "claude", enabled: true, needs_login: false, quota_exhausted: false },
    ...{ last_run_at: started, interval_seconds: 900, may: "pull_requests", restarts: 0 },
  }));
  return {
    nest_id: `bench-${nth}`,
    org: "acme",
    repos: ["acme/web", "acme/api", "acme/docs"],
    primary_repo: "acme/web",
    acmm_level: 3,
    agents,
    governor: { mode: "busy", issues: 12, prs: 3 },
    tokens_24h: 120_000,
    dashboard_url: `https://nest-${nth}.example`,
    is_public: false,
    version: "0.1.0",
    started_at: started,
    timestamp: started,
  };
}
