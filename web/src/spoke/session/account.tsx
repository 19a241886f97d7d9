import { MenuItem } from "../../shared/menu/menu.tsx";
import { AccountMenu, SignInButton } from "../../shared/session/account-menu.tsx";
import { attempt } from "../../shared/toast/toast.tsx";
import { signOut, useVisitor } from "./session.ts";

/** The account menu: who is signed in, with which role; signing in or out where this nest does that itself. */
export function Account() {
  const visitor = useVisitor();
  if (visitor === undefined) return undefined;
  const { logged_in: isSignedIn, username = "", role, by } = visitor;
  if (!isSignedIn) return by === "device" ? <SignInButton address={signInAddress()} /> : undefined;
  return (
    <AccountMenu login={username} role={role}>
      {by === "device" ? (
        <MenuItem act={() => attempt(signOut)}>Sign out</MenuItem>
      ) : (
        <p className="menu-label">Signed in by the hub</p>
      )}
    </AccountMenu>
  );
}

/** The address of the sign-in page, which returns to this page afterwards. */
export function signInAddress(): string {
  return `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;
}
