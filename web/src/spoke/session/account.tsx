import { ActionIcon, Avatar, Button, Menu } from "@mantine/core";
import { attempt } from "../../shared/toast/toast.tsx";
import { signOut, useVisitor } from "./session.ts";

/** The account menu: who is signed in, with which role; signing in or out where this nest does that itself. */
export function Account() {
  const visitor = useVisitor();
  if (visitor === undefined) return undefined;
  const { logged_in: isSignedIn, username = "", role, by } = visitor;
  if (!isSignedIn)
    return by === "device" ? (
      <Button component="a" href={signInAddress()} size="compact-md">
        Sign in
      </Button>
    ) : undefined;
  const initials = username.slice(0, 2).toUpperCase();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" radius="xl" size="lg" aria-label={`${initials}: signed in as ${username}`}>
          <Avatar size={28} radius="xl" color="nest" alt="">
            {initials}
          </Avatar>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <bdi>{username}</bdi>
          {role === undefined ? "" : `, ${role}`}
        </Menu.Label>
        {by === "device" ? (
          <Menu.Item onClick={() => attempt(signOut)}>Sign out</Menu.Item>
        ) : (
          <Menu.Item disabled>Signed in by the hub</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The address of the sign-in page, which returns to this page afterwards. */
export function signInAddress(): string {
  return `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;
}
