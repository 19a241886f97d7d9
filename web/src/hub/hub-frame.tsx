import { hubNavigation } from "@nest/protocol";
import { Outlet } from "@tanstack/react-router";
import { usePage } from "../shared/router/page.ts";
import { Account } from "../shared/session/account.tsx";
import { AdminsOnly } from "../shared/session/admins-only.tsx";
import { useWho } from "../shared/session/session.ts";
import { SignedInOnly } from "../shared/session/signed-in-only.tsx";
import { AppShell } from "../shared/shell/app-shell.tsx";
import { pagesFound } from "../shared/shell/finding.ts";
import { hubFindings, morePages } from "./find.ts";
import { hubShortcuts, viewerOfPage } from "./pages.ts";

const viewer = viewerOfPage();

/** What stands around each page of the hub's app, and the page for where one is. */
export function HubFrame() {
  const { area, isForAdmins, isPersonal } = usePage();
  const who = useWho() ?? viewer;
  return (
    <AppShell
      server="hub"
      pages={hubNavigation(who)}
      account={<Account />}
      shortcuts={hubShortcuts}
      find={(words) => [...pagesFound(morePages(who), words), ...hubFindings(words, who)]}
    >
      {isForAdmins ? (
        <AdminsOnly what={area}>
          <Outlet />
        </AdminsOnly>
      ) : isPersonal ? (
        <SignedInOnly what={area}>
          <Outlet />
        </SignedInOnly>
      ) : (
        <Outlet />
      )}
    </AppShell>
  );
}
