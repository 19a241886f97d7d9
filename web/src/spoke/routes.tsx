import { createRootRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { createAppRouter } from "../shared/router/app-router.ts";
import { ActivitySearch } from "./activity/activity-search.ts";
import { AuditSearch } from "./audit/audit-search.ts";
import { LedgerSearch } from "./ledger/ledger-search.ts";
import { NestFrame } from "./nest-frame.tsx";
import { QueueSearch } from "./queue/queue-search.ts";
import { RunsSearch } from "./runs/runs-search.ts";

// The nest's pages: the address, query parameters, title and script of each.

const root = createRootRoute({ component: NestFrame });
const getParentRoute = () => root;

const overview = createRoute({
  getParentRoute,
  path: "/overview",
  staticData: { title: "Overview" },
  component: lazyRouteComponent(() => import("./overview/overview.tsx"), "Overview"),
});

const agents = createRoute({
  getParentRoute,
  path: "/agents",
  staticData: { title: "Agents" },
  component: lazyRouteComponent(() => import("./agents/agents.tsx"), "Agents"),
});

const queue = createRoute({
  getParentRoute,
  path: "/queue",
  staticData: { title: "Queue" },
  validateSearch: QueueSearch,
  component: lazyRouteComponent(() => import("./queue/queue.tsx"), "Queue"),
});

const runs = createRoute({
  getParentRoute,
  path: "/runs",
  staticData: { title: "Runs" },
  validateSearch: RunsSearch,
  component: lazyRouteComponent(() => import("./runs/runs.tsx"), "Runs"),
});

const run = createRoute({
  getParentRoute,
  path: "/runs/$id",
  staticData: { title: "Run", titleParameter: "id" },
  component: lazyRouteComponent(() => import("./runs/run.tsx"), "RunPage"),
});

const ledger = createRoute({
  getParentRoute,
  path: "/ledger",
  staticData: { title: "Ledger" },
  validateSearch: LedgerSearch,
  component: lazyRouteComponent(() => import("./ledger/ledger.tsx"), "Ledger"),
});

const activity = createRoute({
  getParentRoute,
  path: "/activity",
  staticData: { title: "Activity" },
  validateSearch: ActivitySearch,
  component: lazyRouteComponent(() => import("./activity/activity.tsx"), "Activity"),
});

const audit = createRoute({
  getParentRoute,
  path: "/audit",
  staticData: { title: "Audit" },
  validateSearch: AuditSearch,
  component: lazyRouteComponent(() => import("./audit/audit.tsx"), "Audit"),
});

const settings = createRoute({
  getParentRoute,
  path: "/settings",
  staticData: { title: "Settings" },
  component: lazyRouteComponent(() => import("./settings/settings.tsx"), "Settings"),
});

const health = createRoute({
  getParentRoute,
  path: "/health",
  staticData: { title: "Health" },
  component: lazyRouteComponent(() => import("./health/health.tsx"), "Health"),
});

export const nestRouter = createAppRouter(
  root.addChildren([overview, agents, queue, runs, run, ledger, activity, audit, settings, health]),
);
