import { ActionIcon, Avatar, Button, Menu } from "@mantine/core";
import { attempt } from "../toast/toast.tsx";
import { signInAddress, signOut, useWho } from "./session.ts";

/** The account menu: who is signed in, and signing in or out. */
export function Account() {
  const who = useWho();
  if (who === undefined) return undefined;
  if (!who.authenticated)
    return (
      <Button component="a" href={signInAddress()} size="compact-md">
        Sign in
      </Button>
    );
  const login = who.login ?? "admin";
  const initials = login.slice(0, 2).toUpperCase();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" radius="xl" size="lg" aria-label={`${initials}: signed in as ${login}`}>
          <Avatar size={28} radius="xl" color="nest" alt="">
            {initials}
          </Avatar>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <bdi>{login}</bdi>
          {who.hub_admin ? ", admin of this hub" : ""}
        </Menu.Label>
        <Menu.Item onClick={() => attempt(signOut)}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
