import { createRootRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { createAppRouter } from "../shared/router/app-router.ts";
import { AuditSearch } from "./audit/audit-search.ts";
import { ContributorsSearch } from "./contributors/contributors-search.ts";
import { CreateSearch } from "./create-nest/create-search.ts";
import { FindSearch } from "./find-issues/find-search.ts";
import { FindTasksSearch } from "./find-tasks/find-tasks-search.ts";
import { HubFrame } from "./hub-frame.tsx";
import { MyNestsSearch } from "./my-nests/my-nests-search.ts";
import { NumbersSearch } from "./numbers/numbers-search.ts";
import { OperationsSearch } from "./operations/operations-search.ts";
import { UsersSearch } from "./users/users-search.ts";

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

const task = createRoute({
  getParentRoute,
  path: "/tasks/$id",
  staticData: { title: "Operations", titleParameter: "id" },
  component: lazyRouteComponent(() => import("./tasks/task.tsx"), "TaskPage"),
});

const issue = createRoute({
  getParentRoute,
  path: "/issues/$owner/$name/$number",
  staticData: { title: "Operations", titleParameter: "number" },
  component: lazyRouteComponent(() => import("./issues/issue.tsx"), "IssuePage"),
});

const findIssues = createRoute({
  getParentRoute,
  path: "/issues",
  staticData: { title: "Find issues" },
  validateSearch: FindSearch,
  component: lazyRouteComponent(() => import("./find-issues/find-issues.tsx"), "FindIssues"),
});

const findTasks = createRoute({
  getParentRoute,
  path: "/tasks",
  staticData: { title: "Find tasks", isForAdmins: true },
  validateSearch: FindTasksSearch,
  component: lazyRouteComponent(() => import("./find-tasks/find-tasks.tsx"), "FindTasks"),
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

const numbers = createRoute({
  getParentRoute,
  path: "/numbers",
  staticData: { title: "Numbers", isForAdmins: true },
  validateSearch: NumbersSearch,
  component: lazyRouteComponent(() => import("./numbers/numbers.tsx"), "Numbers"),
});

const alerts = createRoute({
  getParentRoute,
  path: "/alerts",
  staticData: { title: "Alerts", isForAdmins: true },
  component: lazyRouteComponent(() => import("./alerts/alerts.tsx"), "Alerts"),
});

const audit = createRoute({
  getParentRoute,
  path: "/audit",
  staticData: { title: "Audit", isForAdmins: true },
  validateSearch: AuditSearch,
  component: lazyRouteComponent(() => import("./audit/audit.tsx"), "Audit"),
});

const tokens = createRoute({
  getParentRoute,
  path: "/tokens",
  staticData: { title: "API tokens", isForAdmins: true },
  component: lazyRouteComponent(() => import("./tokens/tokens.tsx"), "Tokens"),
});

const mePage = {
  getParentRoute,
  staticData: { title: "My contributions", isPersonal: true },
  component: lazyRouteComponent(() => import("./me/me.tsx"), "Me"),
} as const;
const me = createRoute({ ...mePage, path: "/me" });
/** The address that the relay's commands name. */
const contributeMe = createRoute({ ...mePage, path: "/contribute/me" });

const myNests = createRoute({
  getParentRoute,
  path: "/my-nests",
  staticData: { title: "My nests", isPersonal: true },
  validateSearch: MyNestsSearch,
  component: lazyRouteComponent(() => import("./my-nests/my-nests.tsx"), "MyNests"),
});

const createNest = createRoute({
  getParentRoute,
  path: "/my-nests/new",
  staticData: { title: "Create a nest", isPersonal: true },
  validateSearch: CreateSearch,
  component: lazyRouteComponent(() => import("./create-nest/create-nest.tsx"), "CreateNest"),
});

const oneNest = createRoute({
  getParentRoute,
  path: "/my-nests/$id",
  staticData: { title: "My nests", titleParameter: "id", isPersonal: true },
  component: lazyRouteComponent(() => import("./my-nests/one-nest.tsx"), "OneNest"),
});

const noAccess = createRoute({
  getParentRoute,
  path: "/my-nests/$id/no-access",
  staticData: { title: "No access", isPersonal: true },
  component: lazyRouteComponent(() => import("./my-nests/no-access.tsx"), "NoAccess"),
});

const clusters = createRoute({
  getParentRoute,
  path: "/clusters",
  staticData: { title: "Clusters", isForAdmins: true },
  component: lazyRouteComponent(() => import("./clusters/clusters.tsx"), "Clusters"),
});

const users = createRoute({
  getParentRoute,
  path: "/users",
  staticData: { title: "Users", isForAdmins: true },
  validateSearch: UsersSearch,
  component: lazyRouteComponent(() => import("./users/users.tsx"), "Users"),
});

export const hubRouter = createAppRouter(
  root.addChildren([
    operations,
    task,
    issue,
    me,
    contributeMe,
    myNests,
    createNest,
    oneNest,
    noAccess,
    clusters,
    users,
    queueSettings,
    contributors,
    contributor,
    numbers,
    alerts,
    audit,
    tokens,
    findIssues,
    findTasks,
  ]),
);
