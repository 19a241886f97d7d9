import { useAddress } from "../shared/router/router.ts";
import type { AppPage } from "../shared/shell/app-page.ts";
import { AppShell } from "../shared/shell/app-shell.tsx";
import { Overview } from "./overview/overview.tsx";

const spokePages: readonly AppPage[] = [{ address: "/", name: "Overview", key: "o" }];

/** The spoke's app: its frame, and the page for where one is. */
export function SpokeApp() {
  const { path } = useAddress();
  return (
    <AppShell pages={spokePages} path={path} title="Overview">
      <Overview />
    </AppShell>
  );
}
