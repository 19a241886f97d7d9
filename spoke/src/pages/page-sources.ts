/** The source of each page of the nest's app, by the path of its route: `routes.tsx` of the app imports it when somebody goes there. */
export const pageSources: Readonly<Record<string, string>> = {
  "/overview": "src/spoke/overview/overview.tsx",
  "/agents": "src/spoke/agents/agents.tsx",
  "/queue": "src/spoke/queue/queue.tsx",
  "/runs": "src/spoke/runs/runs.tsx",
  "/runs/:id": "src/spoke/runs/run.tsx",
  "/ledger": "src/spoke/ledger/ledger.tsx",
  "/activity": "src/spoke/activity/activity.tsx",
  "/audit": "src/spoke/audit/audit.tsx",
  "/settings": "src/spoke/settings/settings.tsx",
  "/health": "src/spoke/health/health.tsx",
};
