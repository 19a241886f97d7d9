import { type ReactNode, Suspense, useEffect } from "react";
import { usePage } from "../router/page.ts";
import { ErrorBoundary } from "../states/error-boundary.tsx";
import { Loading } from "../states/states.tsx";
import type { AppPage } from "./app-page.ts";
import type { Finding } from "./finding.ts";
import { Header } from "./header.tsx";
import { OfflineBanner } from "./offline-banner.tsx";
import { type Shortcut, Shortcuts } from "./shortcuts.tsx";

export interface AppShellProps {
  readonly pages: readonly AppPage[];
  /** Whose app it is: named where it does not answer. */
  readonly server: "hub" | "nest";
  /** Who is signed in, at the right of the bar. */
  readonly account?: ReactNode;
  /** Shortcuts of single pages, for the list of shortcuts. */
  readonly shortcuts?: readonly Shortcut[];
  /** What else than pages the words of the command palette lead to. */
  readonly find?: (words: string) => readonly Finding[];
  readonly children: ReactNode;
}

const nothing = (): readonly Finding[] => [];

/** The frame of every page of an app: skip link, navigation, connection state, keyboard shortcuts. */
export function AppShell({ pages, server, account, shortcuts = [], find = nothing, children }: AppShellProps) {
  const { path, title } = usePage();
  useEffect(() => {
    document.title = `${title} · Nest`;
  }, [title]);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Header pages={pages} path={path} account={account} />
      <OfflineBanner server={server} />
      <main id="main" className="wide" tabIndex={-1}>
        <ErrorBoundary key={path}>
          <Suspense fallback={<Loading />}>{children}</Suspense>
        </ErrorBoundary>
      </main>
      <Shortcuts pages={pages} shortcuts={shortcuts} find={find} />
    </>
  );
}
