import { Menu } from "@mantine/core";
import { attempt } from "../toast/toast.tsx";
import { AccountMenu, SignInButton } from "./account-menu.tsx";
import { signInAddress, signOut, useWho } from "./session.ts";

/** The account menu of the hub: who is signed in, and signing in or out. */
export function Account() {
  const who = useWho();
  if (who === undefined) return undefined;
  if (!who.authenticated) return <SignInButton address={signInAddress()} />;
  return (
    <AccountMenu login={who.login ?? "admin"} role={who.hub_admin ? "admin of this hub" : undefined}>
      <Menu.Item component="a" href="/me">
        My contributions
      </Menu.Item>
      {who.hub_admin ? (
        <Menu.Item component="a" href="/alerts">
          Alerts
        </Menu.Item>
      ) : undefined}
      {who.hub_admin ? (
        <Menu.Item component="a" href="/tokens">
          API tokens
        </Menu.Item>
      ) : undefined}
      <Menu.Item onClick={() => attempt(signOut)}>Sign out</Menu.Item>
    </AccountMenu>
  );
}
