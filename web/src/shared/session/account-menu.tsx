import { ActionIcon, Avatar, Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Menu } from "../menu/menu.tsx";

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
    <Menu
      button={(attributes) => (
        <ActionIcon
          variant="subtle"
          radius="xl"
          size="lg"
          aria-label={`${initials}: signed in as ${login}`}
          {...attributes}
        >
          <Avatar size={28} radius="xl" color="nest" alt="">
            {initials}
          </Avatar>
        </ActionIcon>
      )}
    >
      <div className="menu-label">
        <bdi>{login}</bdi>
        {role === undefined ? "" : `, ${role}`}
      </div>
      {children}
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
