import { createRootRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { createAppRouter } from "../shared/router/app-router.ts";
import { AuditSearch } from "./audit/audit-search.ts";
import { ContributorsSearch } from "./contributors/contributors-search.ts";
import { HubFrame } from "./hub-frame.tsx";
import { OperationsSearch } from "./operations/operations-search.ts";

// The hub's pages: the address, query parameters, title and script of each.

const root = createRootRoute({ component: HubFrame });
const getParentRoute = () => root;

const operations = createRoute({
  getParentRoute,
  path: "/operations",
  staticData: { title: "Operations" },
  validateSearch: OperationsSearch,
  component: lazyRouteComponent(() => import("./operations/operations.tsx"), "Operations"),
});

const queueSettings = createRoute({
  getParentRoute,
  path: "/settings",
  staticData: { title: "Queue settings", isForAdmins: true },
  component: lazyRouteComponent(() => import("./queue-settings/queue-settings.tsx"), "QueueSettings"),
});

const contributors = createRoute({
  getParentRoute,
  path: "/contributors",
  staticData: { title: "Contributors", isForAdmins: true },
  validateSearch: ContributorsSearch,
  component: lazyRouteComponent(() => import("./contributors/contributors.tsx"), "Contributors"),
});

const contributor = createRoute({
  getParentRoute,
  path: "/contributors/$id",
  staticData: { title: "Contributors", titleParameter: "id", isForAdmins: true },
  component: lazyRouteComponent(() => import("./contributors/contributor.tsx"), "Contributor"),
});

const audit = createRoute({
  getParentRoute,
  path: "/audit",
  staticData: { title: "Audit", isForAdmins: true },
  validateSearch: AuditSearch,
  component: lazyRouteComponent(() => import("./audit/audit.tsx"), "Audit"),
});

export const hubRouter = createAppRouter(
  root.addChildren([operations, queueSettings, contributors, contributor, audit]),
);
