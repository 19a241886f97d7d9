import { Button } from "@mantine/core";
import { nestNavigationFor } from "@nest/protocol";
import { Outlet } from "@tanstack/react-router";
import { useEffect } from "react";
import { AppShell } from "../shared/shell/app-shell.tsx";
import { LoadingOrFailed } from "../shared/states/states.tsx";
import { followNest } from "./live/live.ts";
import { nestShortcuts, rightsOfPage } from "./pages.ts";
import { Account, signInAddress } from "./session/account.tsx";
import { useVisitorAsked, type Visitor } from "./session/session.ts";

const rights = rightsOfPage();

/** What stands around each page of a nest's app, and the page for where one is. */
export function NestFrame() {
  const asked = useVisitorAsked();
  const visitor = asked.data;
  const mayRead = visitor?.may.read === true;
  useEffect(() => {
    if (mayRead) followNest();
  }, [mayRead]);
  const pages = nestNavigationFor(visitor?.may ?? rights);
  return (
    <AppShell server="nest" pages={pages} account={<Account />} shortcuts={nestShortcuts}>
      {visitor === undefined ? <LoadingOrFailed asked={asked} /> : mayRead ? <Outlet /> : <Closed visitor={visitor} />}
    </AppShell>
  );
}

function Closed({ visitor: { logged_in: isSignedIn, username, by, hint } }: { readonly visitor: Visitor }) {
  return (
    <div className="lead closed">
      <h1>This nest is closed to you</h1>
      {isSignedIn ? (
        <p>
          <bdi>{username}</bdi> has no role here. Its owner gives one in the settings.
        </p>
      ) : by === "device" ? (
        <>
          <p>Its pages are for people with a role on it.</p>
          <Button component="a" href={signInAddress()}>
            Sign in
          </Button>
        </>
      ) : (
        <p>{hint ?? "Open it through its hub, which signs people in."}</p>
      )}
    </div>
  );
}
