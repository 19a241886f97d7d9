import { lazy } from "react";
import { useAddress } from "../shared/router/router.ts";
import { Account } from "../shared/session/account.tsx";
import { AdminsOnly } from "../shared/session/admins-only.tsx";
import { AppShell } from "../shared/shell/app-shell.tsx";
import { hubPages, hubShortcuts } from "./pages.ts";

const Operations = lazy(async () => ({ default: (await import("./operations/operations.tsx")).Operations }));
const Settings = lazy(async () => ({ default: (await import("./queue-settings/queue-settings.tsx")).Settings }));
const Contributors = lazy(async () => ({ default: (await import("./contributors/contributors.tsx")).Contributors }));
const Contributor = lazy(async () => ({ default: (await import("./contributors/contributor.tsx")).Contributor }));
const Audit = lazy(async () => ({ default: (await import("./audit/audit.tsx")).Audit }));

/** The hub's app: its frame, and the page for where one is. */
export function HubApp() {
  const { path } = useAddress();
  return (
    <AppShell pages={hubPages} path={path} title={titleOf(path)} account={<Account />} shortcuts={hubShortcuts}>
      <Page path={path} />
    </AppShell>
  );
}

function Page({ path }: { readonly path: string }) {
  const [, area = "", name] = path.split("/");
  if (area === "settings")
    return (
      <AdminsOnly what="Queue settings">
        <Settings />
      </AdminsOnly>
    );
  if (area === "contributors")
    return (
      <AdminsOnly what="Contributors">
        {name === undefined ? <Contributors /> : <Contributor id={decodeURIComponent(name)} />}
      </AdminsOnly>
    );
  if (area === "audit")
    return (
      <AdminsOnly what="Audit">
        <Audit />
      </AdminsOnly>
    );
  return <Operations />;
}

function titleOf(path: string): string {
  const [, area = "", name] = path.split("/");
  if (name !== undefined) return decodeURIComponent(name);
  return { settings: "Queue settings", contributors: "Contributors", audit: "Audit" }[area] ?? "Operations";
}
