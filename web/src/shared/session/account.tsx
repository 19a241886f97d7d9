import { MenuItem, MenuLink } from "../menu/menu.tsx";
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
      <MenuLink href="/me">My contributions</MenuLink>
      {who.hub_admin ? <MenuLink href="/alerts">Alerts</MenuLink> : undefined}
      {who.hub_admin ? <MenuLink href="/tokens">API tokens</MenuLink> : undefined}
      <MenuItem act={() => attempt(signOut)}>Sign out</MenuItem>
    </AccountMenu>
  );
}
