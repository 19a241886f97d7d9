import { ActionIcon, Avatar, Button, Menu } from "@mantine/core";
import type { ReactNode } from "react";

export interface AccountMenuProps {
  readonly login: string;
  /** What the person is here, after the login. */
  readonly role: string | undefined;
  /** The entries of the menu. */
  readonly children: ReactNode;
}

/** Who is signed in, with a menu. */
export function AccountMenu({ login, role, children }: AccountMenuProps) {
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
          {role === undefined ? "" : `, ${role}`}
        </Menu.Label>
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The way to the sign-in, in the account's place. */
export function SignInButton({ address }: { readonly address: string }) {
  return (
    <Button component="a" href={address} size="compact-md">
      Sign in
    </Button>
  );
}
