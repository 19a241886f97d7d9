import { ActionIcon, useMantineColorScheme } from "@mantine/core";
import { isUnder } from "@nest/protocol";
import { IconDeviceDesktop, IconHelp, IconMoon, IconSearch, IconSun } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { Menu, MenuItem } from "../menu/menu.tsx";
import { useConnection } from "../stream/event-stream.ts";
import type { AppPage } from "./app-page.ts";
import { openHelp, openPalette } from "./shortcuts.tsx";

export interface HeaderProps {
  readonly pages: readonly AppPage[];
  readonly path: string;
  readonly account: ReactNode;
}

/** With more pages than this the navigation has a line of its own where the window is not wide. */
const MANY = 7;

/** The bar at the top: the navigation, the connection state, the colour scheme and the account menu. */
export function Header({ pages, path, account }: HeaderProps) {
  const row = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is marked, or stands elsewhere in the row
  useLayoutEffect(() => {
    const here = row.current?.querySelector<HTMLElement>("[aria-current]");
    if (row.current && here)
      row.current.scrollLeft = here.offsetLeft - (row.current.clientWidth - here.offsetWidth) / 2;
  }, [path, pages.length]);
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
        <nav aria-label="Pages" data-many={pages.length > MANY || undefined}>
          <ul ref={row}>
            {pages.map((page) => (
              <li key={page.address}>
                {page.isServerMade === true ? (
                  <a href={page.address}>{page.name}</a>
                ) : (
                  <Link to={page.address} aria-current={isUnder(page, path) ? "page" : undefined}>
                    {page.name}
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </nav>
        <div className="bar-end">
          <ConnectionState />
          <ActionIcon variant="subtle" color="gray" aria-label="Go to or find" onClick={openPalette}>
            <IconSearch size={18} />
          </ActionIcon>
          <ActionIcon variant="subtle" color="gray" aria-label="Keyboard shortcuts" onClick={openHelp}>
            <IconHelp size={18} />
          </ActionIcon>
          <SchemeSwitch />
          {account}
        </div>
      </div>
    </header>
  );
}

function ConnectionState() {
  const state = useConnection((connection) => connection.state);
  if (state === "none") return undefined;
  const words = { live: "live", connecting: "connecting", offline: "reconnecting", silent: "silent" }[state];
  return (
    <span className="connection-state" data-state={state}>
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
  const [, name, Icon] = schemes.find(([scheme]) => scheme === colorScheme) ?? schemes[0];
  return (
    <Menu
      button={(attributes) => (
        <ActionIcon variant="subtle" color="gray" aria-label={`Colours: ${name}`} {...attributes}>
          <Icon size={18} />
        </ActionIcon>
      )}
    >
      {schemes.map(([scheme, words, One]) => (
        <MenuItem
          key={scheme}
          icon={<One size={16} />}
          isCurrent={scheme === colorScheme}
          act={() => setColorScheme(scheme)}
        >
          {words}
        </MenuItem>
      ))}
    </Menu>
  );
}
