import { lazy, Suspense, useEffect } from "react";
import { Broken } from "../look/broken.tsx";
import { Waiting } from "../look/states.tsx";
import { usePlace } from "../place/place.ts";
import { AdminsOnly } from "../session/admins-only.tsx";
import { Away } from "./away.tsx";
import { Header } from "./header.tsx";
import { Shortcuts } from "./shortcuts.tsx";

const Operations = lazy(async () => ({ default: (await import("../operations/operations.tsx")).Operations }));
const Settings = lazy(async () => ({ default: (await import("../settings/settings.tsx")).Settings }));
const Contributors = lazy(async () => ({ default: (await import("../contributors/contributors.tsx")).Contributors }));
const Contributor = lazy(async () => ({ default: (await import("../contributors/contributor.tsx")).Contributor }));
const Audit = lazy(async () => ({ default: (await import("../audit/audit.tsx")).Audit }));

/** The hub's app: its frame, and the page for where one is. */
export function HubApp() {
  const { path } = usePlace();
  const title = titleOf(path);
  useEffect(() => {
    document.title = `${title} · Nest`;
  }, [title]);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Header />
      <Away />
      <main id="main" className="wide" tabIndex={-1}>
        <Broken key={path}>
          <Suspense fallback={<Waiting />}>
            <Page path={path} />
          </Suspense>
        </Broken>
      </main>
      <Shortcuts />
    </>
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
