import { Outlet } from "@tanstack/react-router";
import { usePage } from "../shared/router/page.ts";
import { Account } from "../shared/session/account.tsx";
import { AdminsOnly } from "../shared/session/admins-only.tsx";
import { useIsAdmin } from "../shared/session/session.ts";
import { AppShell } from "../shared/shell/app-shell.tsx";
import { hubPages, hubShortcuts } from "./pages.ts";

/** What stands around each page of the hub's app, and the page for where one is. */
export function HubFrame() {
  const { area, isForAdmins } = usePage();
  const isAdmin = useIsAdmin();
  return (
    <AppShell server="hub" pages={hubPages(isAdmin)} account={<Account />} shortcuts={hubShortcuts}>
      {isForAdmins ? (
        <AdminsOnly what={area}>
          <Outlet />
        </AdminsOnly>
      ) : (
        <Outlet />
      )}
    </AppShell>
  );
}
