import { autonomies } from "@nest/protocol";

/** How a value is edited. */
export type Kind =
  | { readonly kind: "text" | "secret" | "lines" }
  /** Yes, no, or neither: then what the nest finds holds. */
  | { readonly kind: "yes-no" }
  | { readonly kind: "switch"; readonly isOnByDefault: boolean }
  | { readonly kind: "number"; readonly least: number; readonly most: number }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  /** Any of the choices, each in words. */
  | { readonly kind: "checks"; readonly choices: Readonly<Record<string, string>> };

/** One value of the configuration as the page edits it. */
export type Field = Kind & {
  /** The key with dots. */
  readonly key: string;
  readonly label: string;
  readonly about?: string;
};

/** A part of the page. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly fields: readonly Field[];
}

export const text = (key: string, label: string, about?: string) => field({ kind: "text", key, label }, about);
export const lines = (key: string, label: string, about?: string) => field({ kind: "lines", key, label }, about);
const onOff = (key: string, label: string, isOnByDefault: boolean, about?: string) =>
  field({ kind: "switch", key, label, isOnByDefault }, about);
export const number = (key: string, label: string, [least, most]: readonly [number, number], about?: string) =>
  field({ kind: "number", key, label, least, most }, about);
export const choice = (key: string, label: string, choices: readonly string[], about?: string) =>
  field({ kind: "choice", key, label, choices }, about);

export function field(own: Field, about: string | undefined): Field {
  return about === undefined ? own : { ...own, about };
}

const MANY = 1_000_000_000;

function budget(at: string): Field[] {
  return [
    number(`${at}.runs_per_day`, "Runs a day", [0, MANY]),
    number(`${at}.minutes_per_day`, "Minutes a day", [0, MANY]),
    number(`${at}.tokens_per_day`, "Tokens a day", [0, MANY], "As far as the CLI reports them."),
    number(`${at}.cost_usd_per_day`, "US dollars a day", [0, MANY], "As far as the CLI reports them."),
  ];
}

const project: Section = {
  id: "project",
  title: "Project",
  about: "What this nest works on, and how much its agents may do.",
  fields: [
    text("project.org", "Organisation"),
    lines("project.repos", "Repositories", "One a line, as name or owner/name."),
    text("project.primary_repo", "Main repository"),
    number("acmm_level", "Autonomy level", [0, 6], "0: agents rest. 6: they merge by themselves."),
  ],
};

/** The fields of one agent. */
export function agentFields(name: string): Field[] {
  const at = `agents.${name}`;
  return [
    onOff(`${at}.enabled`, "Switched on", true),
    text(`${at}.backend`, "Backend", "The agent CLI, such as claude or codex. Empty: claude."),
    text(`${at}.model`, "Model", "Empty: the backend's own choice."),
    choice(
      `${at}.style`,
      "Started",
      ["interactive", "headless"],
      "In a terminal as a person would, or for one prompt.",
    ),
    choice(`${at}.focus`, "Looks at", ["issue", "overview"], "One issue a run, or the whole queue and ledger."),
    choice(`${at}.may`, "May at most", autonomies, "Where that is less than the autonomy level gives."),
    number(`${at}.max_minutes`, "Minutes a run", [1, 600], "Empty: 30."),
    lines(`${at}.repos`, "Only these repositories", "Empty: all."),
    lines(`${at}.labels`, "Only issues with one of these labels", "Empty: all."),
    text(`${at}.instructions`, "Instructions", "What it is told besides its task."),
    ...budget(`${at}.budget`),
  ];
}

/** The fields of one of the governor's modes. */
export function modeFields(mode: string, agents: readonly string[]): Field[] {
  const at = `governor.modes.${mode}`;
  return [
    number(`${at}.threshold`, "Holds above", [0, 100_000], "Actionable issues."),
    ...agents.map((agent) =>
      text(`${at}.${agent}`, `${agent} works every`, "A time such as 4h or 30m, or pause. Empty: 15m."),
    ),
  ];
}

const governor: Section = {
  id: "governor",
  title: "Governor",
  about: "How often the repositories are read, and what all agents together may use in a day.",
  fields: [
    number("governor.eval_interval_s", "Seconds between two readings", [1, 86_400]),
    ...budget("governor.budget"),
    number("governor.recordings.days", "Days that recordings are kept", [0, 365]),
    number("governor.recordings.megabytes", "Megabytes of recordings", [0, 100_000]),
  ],
};

const labels: Section = {
  id: "labels",
  title: "Labels",
  about: "Which issues agents leave alone.",
  fields: [
    lines(
      "governor.labels.hold",
      "Wait",
      "Issues with one of these labels wait for people. Empty: back to the default.",
    ),
    lines(
      "governor.labels.exempt",
      "Never",
      "Agents keep away from issues with one of these labels. Empty: back to the default.",
    ),
    text("governor.labels.hold_pull_requests", "Label of held pull requests"),
    lines("governor.deny_authors", "Left out by author", "* stands for any characters. Empty: back to the default."),
    lines("governor.deny_titles", "Left out by title", "Part of the title. Empty: back to the default."),
  ],
};

const codeHost: Section = {
  id: "code-host",
  title: "Code host",
  about: "As whom this nest works on the code host: an app, or a person's token.",
  fields: [
    text("github.app_id", "App"),
    text("github.installation_id", "Installation of the app"),
    text("github.key_file", "File of the app's private key"),
    field({ kind: "secret", key: "github.token", label: "Token" }, "Instead of an app. It may name a variable."),
    text("github.oauth_client_id", "Client for signing in"),
  ],
};

const hub: Section = {
  id: "hub",
  title: "Hub",
  about: "Where this nest reports to.",
  fields: [
    onOff("hub.enabled", "Report to a hub", true),
    text("hub.url", "Address of the hub"),
    text("hub.dashboard_url", "Address under which the hub shows this nest"),
    onOff("hub.is_public", "Public", false, "Everybody may see the state of this nest."),
    text("hub.nest_type", "Kind of nest"),
    choice("hub.liveness", "Alive while", ["success", "attempts"], "The hub accepts heartbeats, or they are tried."),
  ],
};

const access: Section = {
  id: "access",
  title: "Access",
  about: "Who may sign in, and by which way people come.",
  fields: [
    lines("dashboard.authorized_users", "People", "One a line, as login:role; read, read-write, merger or owner."),
    onOff("dashboard.hub_proxied", "Behind the hub", false, "The hub's proxy says who asks."),
    lines("dashboard.trusted_proxies", "Proxies that are believed", "Addresses or networks."),
    text("dashboard.public_url", "Address that people use"),
    lines("dashboard.hosts", "Further host names"),
    field(
      { kind: "yes-no", key: "dashboard.open_on_this_machine", label: "Open to everybody on this machine" },
      "Whoever can run programs on it reads without signing in. By default: where nobody could sign in.",
    ),
  ],
};

const backup: Section = {
  id: "backup",
  title: "Backup",
  about: "Where the key of the backups comes from. Backups themselves are made on their own page.",
  fields: [
    text("governor.backup.key_file", "File of the key"),
    text("governor.backup.key_env", "Variable of the key"),
    text("governor.backup.key_name", "Name of the key"),
  ],
};

/** Keys whose value is never shown. */
export const secretKeys: ReadonlySet<string> = new Set(
  codeHost.fields.flatMap(({ key, kind }) => (kind === "secret" ? [key] : [])),
);

/** The parts whose fields are the same on every nest. */
export const fixedSections = { project, governor, labels, codeHost, hub, access, backup } as const;
