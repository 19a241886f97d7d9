// The navigation of the hub's and of a nest's pages, the same in what they render and in the browser app.

/** One entry of the navigation. */
export interface NavigationEntry {
  readonly address: string;
  readonly name: string;
  /** `g` and then this key goes there. */
  readonly key?: string;
  /** What stands under it, beside what its own address begins: `/issues` and all below. */
  readonly above?: readonly string[];
  /** The server renders this page, so a link to it loads a new document. */
  readonly isServerMade?: boolean;
}

/** What the navigation depends on. */
export interface Navigating {
  readonly authenticated: boolean;
  readonly hub_admin: boolean;
}

const publicEntries: readonly NavigationEntry[] = [
  { address: "/", name: "Live", key: "l", isServerMade: true },
  { address: "/contribute", name: "Contribute", isServerMade: true },
  { address: "/leaderboard", name: "Leaderboard", key: "b", isServerMade: true },
  { address: "/operations", name: "Operations", key: "o", above: ["/issues", "/tasks"] },
];

const personalEntries: readonly NavigationEntry[] = [
  ...publicEntries,
  { address: "/me", name: "My contributions", key: "m" },
  { address: "/my-nests", name: "My nests", key: "n" },
];

/** An admin finds the own contributions in the account menu: the bar is full. */
const adminEntries: readonly NavigationEntry[] = [
  ...personalEntries.filter(({ address }) => address !== "/me"),
  { address: "/clusters", name: "Clusters", key: "k" },
  { address: "/users", name: "Users", key: "u" },
  { address: "/settings", name: "Settings", key: "s" },
  { address: "/contributors", name: "Contributors", key: "c" },
  { address: "/numbers", name: "Numbers", key: "x" },
  { address: "/audit", name: "Audit", key: "a" },
];

/** Whether a page of the browser app is this entry's, or stands under it. */
export function isUnder({ address, above = [], isServerMade = false }: NavigationEntry, path: string): boolean {
  return !isServerMade && [address, ...above].some((one) => path === one || path.startsWith(`${one}/`));
}

/** The hub's navigation for an admin, for somebody else who is signed in, or for a visitor. */
export function hubNavigation(who: Navigating | undefined): readonly NavigationEntry[] {
  if (who?.hub_admin === true) return adminEntries;
  return who?.authenticated === true ? personalEntries : publicEntries;
}

/** An entry of a nest's navigation. */
export interface NestNavigationEntry extends NavigationEntry {
  /** Whoever may not do this is not led there: the page would only refuse. */
  readonly right?: "operate" | "configure";
}

/** The pages of a nest, in the order of the navigation. */
const nestNavigation: readonly NestNavigationEntry[] = [
  { address: "/overview", name: "Overview", key: "o" },
  { address: "/agents", name: "Agents", key: "a" },
  { address: "/terminal/", name: "Terminals", key: "m", right: "operate", isServerMade: true },
  { address: "/queue", name: "Queue", key: "q" },
  { address: "/runs", name: "Runs", key: "r" },
  { address: "/ledger", name: "Ledger", key: "l" },
  { address: "/activity", name: "Activity", key: "t" },
  { address: "/audit", name: "Audit", key: "u", right: "operate" },
  { address: "/settings", name: "Settings", key: "s" },
  { address: "/backup", name: "Backup", key: "b", right: "configure", isServerMade: true },
  { address: "/health", name: "Health", key: "h" },
];

/** The pages of a nest that somebody with these rights can use. */
export function nestNavigationFor(
  may: Readonly<Record<"operate" | "configure", boolean>>,
): readonly NestNavigationEntry[] {
  return nestNavigation.filter(({ right }) => right === undefined || may[right]);
}
