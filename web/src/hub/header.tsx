import { ActionIcon, Avatar, Button, Menu, useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconHelp, IconMoon, IconSun } from "@tabler/icons-react";
import { useLive } from "../live/live.ts";
import { attempt } from "../look/told.tsx";
import { Link } from "../place/link.tsx";
import { usePlace } from "../place/place.ts";
import { signInAddress, signOut, useWho } from "../session/who.ts";
import { openHelp } from "./shortcuts.tsx";

const places = [
  ["/operations", "Operations"],
  ["/settings", "Settings"],
  ["/contributors", "Contributors"],
  ["/audit", "Audit"],
] as const;

/** The house's name, the pages, how the line to the hub is, and who one is. */
export function Header() {
  const { path } = usePlace();
  return (
    <header className="top">
      <div className="wide bar">
        <a className="brand" href="/">
          <svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
            <path d="M2 7a6 6 0 0 0 12 0" />
            <circle cx="8" cy="5" r="2" />
          </svg>
          Nest
        </a>
        <nav aria-label="Pages">
          <ul>
            <li>
              <a href="/">Live</a>
            </li>
            {places.map(([address, name]) => (
              <li key={address}>
                <Link href={address} aria-current={path.startsWith(address) ? "page" : undefined}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="bar-end">
          <LinkState />
          <ActionIcon variant="subtle" color="gray" aria-label="Keyboard shortcuts" onClick={openHelp}>
            <IconHelp size={18} />
          </ActionIcon>
          <SchemeSwitch />
          <Person />
        </div>
      </div>
    </header>
  );
}

function LinkState() {
  const link = useLive((live) => live.link);
  const words = { live: "live", connecting: "connecting", away: "reconnecting" }[link];
  return (
    <span className="link-state" data-state={link}>
      {words}
    </span>
  );
}

const schemes = [
  ["auto", "As the system", IconDeviceDesktop],
  ["light", "Light", IconSun],
  ["dark", "Dark", IconMoon],
] as const;

function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [, said, Icon] = schemes.find(([name]) => name === colorScheme) ?? schemes[0];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Colours: ${said}`}>
          <Icon size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(([name, words, One]) => (
          <Menu.Item
            key={name}
            leftSection={<One size={16} />}
            aria-current={name === colorScheme ? "true" : undefined}
            onClick={() => setColorScheme(name)}
          >
            {words}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Person() {
  const who = useWho();
  if (who === undefined) return undefined;
  if (!who.authenticated)
    return (
      <Button component="a" href={signInAddress()} size="compact-md">
        Sign in
      </Button>
    );
  const login = who.login ?? "admin";
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" radius="xl" size="lg" aria-label={`Signed in as ${login}`}>
          <Avatar size={28} radius="xl" color="nest" alt="">
            {login.slice(0, 2).toUpperCase()}
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
