import { createRootRoute, createRoute, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { createAppRouter } from "../shared/router/app-router.ts";
import type { AppPage } from "../shared/shell/app-page.ts";
import { AppShell } from "../shared/shell/app-shell.tsx";

// The spoke's pages: the address, title and script of each.

const spokePages: readonly AppPage[] = [{ address: "/overview", name: "Overview", key: "o" }];

const root = createRootRoute({ component: SpokeFrame });

const overview = createRoute({
  getParentRoute: () => root,
  path: "/overview",
  staticData: { title: "Overview" },
  component: lazyRouteComponent(() => import("./overview/overview.tsx"), "Overview"),
});

export const spokeRouter = createAppRouter(root.addChildren([overview]));

function SpokeFrame() {
  return (
    <AppShell pages={spokePages}>
      <Outlet />
    </AppShell>
  );
}
