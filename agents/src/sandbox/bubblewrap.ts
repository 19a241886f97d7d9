import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { findBinary } from "../binary.ts";
import { freeUser, type RunUser } from "./run-user.ts";

const run = promisify(execFile);
const PROBE_MS = 5000;

/** Bubblewrap as it works on this machine. */
export interface Bubblewrap {
  readonly binary: string;
  /**
   * `own`: a run sees no process but its own. `shared`: a container that covers parts of its `/proc` lets nobody mount another, so
   * a run sees that there are others; their environment, memory and files stay closed to it, and it cannot signal them.
   */
  readonly proc: "own" | "shared";
  /** The program that changes the user of a run, where the relay is root and may do so. */
  readonly changeUser: string | undefined;
}

/** Bubblewrap, or why it does not work here. */
export type Found = { readonly works: Bubblewrap } | { readonly because: string };

/** What one confined run may reach. Every path is absolute. */
export interface Reach {
  /** `system`: programs and libraries alone. `everything`: all of a container, read-only. */
  readonly base: "system" | "everything";
  /** Writable, and the working directory. */
  readonly workspace: string;
  /** Where the agent sees its home: a folder of the run's own, writable, in place of the person's. */
  readonly shownHome: string;
  readonly privateHome: string;
  /** Stands in for `/tmp`. */
  readonly emptyTemporary: string;
  /** The relay's own folders: empty to the agent. */
  readonly hidden: readonly string[];
  /** Readable beside the base. */
  readonly readable: readonly string[];
  /** Copies that are shown in place of what they were made from: the CLI's own folders outside of the home, writable. */
  readonly copies: readonly (readonly [copy: string, shownAt: string])[];
  /** The same, readable only. */
  readonly accounts: readonly (readonly [copy: string, shownAt: string])[];
  /** Whom the run's processes belong to, where the relay is root. */
  readonly user: RunUser | undefined;
}

/** Programs, libraries and settings of the system. Places for data (`/home`, `/root`, `/var`, `/srv`, `/mnt`) are not there. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/opt",
  "/nix",
  "/snap",
  "/sys",
];
/** Where `/etc/resolv.conf` points to on many machines. */
const NAMES = ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager"];

/**
 * Looks whether bubblewrap is there and the system lets it work, by running a program in it. As root on a host it must be able to
 * change the user, for root's files would be the agent's own; in a container that is not needed.
 */
export async function findBubblewrap(path: string | undefined, inContainer = false): Promise<Found> {
  if (process.platform !== "linux") return { because: "bubblewrap is for Linux; use a container here" };
  const binary = await findBinary("bwrap", path);
  if (binary === undefined) return { because: "bubblewrap (bwrap) is not installed" };
  const ways: Bubblewrap[] = [];
  const changeUser = await findBinary("setpriv", `${path ?? ""}:/usr/bin:/bin`);
  if (!isRoot()) ways.push({ binary, proc: "own", changeUser: undefined });
  else if (changeUser !== undefined) ways.push({ binary, proc: "own", changeUser });
  if (isRoot() && inContainer) ways.push({ binary, proc: "own", changeUser: undefined });
  if (inContainer) ways.push({ binary, proc: "shared", changeUser: undefined });
  let because = "as root it takes setpriv (util-linux), so that agents are not root";
  for (const [at, way] of ways.entries()) {
    const failure = await tryOut(way);
    if (failure === undefined) return { works: way };
    if (at === 0) because = `this system does not let bubblewrap work: ${failure}`;
  }
  return { because };
}

/** Why it does not work that way; undefined when it does. */
async function tryOut(way: Bubblewrap): Promise<string | undefined> {
  const user = way.changeUser === undefined ? undefined : await freeUser();
  const [program = "", ...args] = within(way, ["--ro-bind", "/", "/", "--dev", "/dev"], ["/bin/true"], user);
  return run(program, args, { timeout: PROBE_MS, env: {} }).then(
    () => undefined,
    (thrown: { stderr?: string }) => /^(?:bwrap|setpriv): (.+)$/m.exec(thrown.stderr ?? "")?.[1] ?? "it does not start",
  );
}

/**
 * The command line that runs `argv` confined: the system read-only, the home replaced by a private one, `/tmp` of its own, no
 * process of another, no capability, the network as it is. Mounts come in this order because a later one lies over an earlier
 * one. Pure.
 */
export function bubblewrapArguments(bubblewrap: Bubblewrap, argv: readonly string[], reach: Reach): readonly string[] {
  const all = reach.base === "everything";
  const shown = [reach.shownHome, ...reach.readable, ...reach.copies.map(([, shownAt]) => shownAt), reach.workspace];
  const missing = wayTo(shown, reach.shownHome).filter((folder) => !all || isUnder(folder, reach.hidden));
  const mounts = [
    ...(all ? ["--ro-bind", "/", "/"] : [...SYSTEM, ...NAMES].flatMap(readOnly)),
    ...reach.hidden.flatMap((path) => ["--tmpfs", path]),
    ...missing.flatMap((folder) => ["--perms", "0755", "--dir", folder]),
    ...["--dev", "/dev"],
    ...["--bind", reach.emptyTemporary, "/tmp", "--setenv", "TMPDIR", "/tmp"],
    ...["--bind", reach.privateHome, reach.shownHome, "--setenv", "HOME", reach.shownHome],
    ...reach.readable.flatMap(readOnly),
    ...reach.copies.flatMap(([copy, shownAt]) => ["--bind", copy, shownAt]),
    ...reach.accounts.flatMap(([copy, shownAt]) => ["--ro-bind", copy, shownAt]),
    ...["--bind", reach.workspace, reach.workspace, "--chdir", reach.workspace],
  ];
  return within(bubblewrap, mounts, argv, reach.user);
}

/**
 * The command line that runs `argv` unconfined, but in processes of its own: whatever it starts, however it hides, ends with it.
 * Pure.
 */
export function inOwnProcesses(bubblewrap: Bubblewrap, argv: readonly string[]): readonly string[] {
  const { binary, changeUser } = bubblewrap;
  // Root that may mount needs no user namespace for it, and would lose rights over files in one.
  const asUser = changeUser === undefined ? [userNamespace(bubblewrap), "--cap-drop", "ALL"] : [];
  const mounts = ["--dev-bind", "/", "/", ...proc(bubblewrap)];
  return [binary, ...asUser, "--unshare-pid", "--die-with-parent", ...mounts, "--", ...argv];
}

/** The folders above what is shown, open to everybody: bubblewrap itself would make them root's alone. */
function wayTo(paths: readonly string[], home: string): readonly string[] {
  const above = new Set<string>();
  for (const path of paths) for (let at = dirname(path); at !== "/" && at !== "."; at = dirname(at)) above.add(at);
  return [...above].filter((folder) => !isUnder(folder, [...SYSTEM, "/tmp", home])).sort((a, b) => a.length - b.length);
}

function isUnder(folder: string, places: readonly string[]): boolean {
  return places.some((place) => folder === place || folder.startsWith(`${place}/`));
}

function within(bubblewrap: Bubblewrap, mounts: readonly string[], argv: readonly string[], user: RunUser | undefined) {
  const { binary, changeUser } = bubblewrap;
  const namespaces = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
  const changing = user === undefined || changeUser === undefined ? undefined : asUser(changeUser, user);
  return [
    binary,
    ...(changing === undefined ? [userNamespace(bubblewrap), ...namespaces] : namespaces),
    // Whoever started the run going away ends it, also by kill -9.
    "--die-with-parent",
    ...mounts,
    ...proc(bubblewrap),
    ...["--cap-drop", "ALL"],
    // Root changes the user inside, once everything is mounted; the capabilities for it are gone with the change.
    ...(changing === undefined ? [] : CHANGING.flatMap((name) => ["--cap-add", name])),
    "--",
    ...(changing ?? []),
    ...argv,
  ];
}

/** What it takes to become another user, in a folder that is that user's alone. */
const CHANGING = ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_READ_SEARCH"];

function asUser(changeUser: string, { uid, gid }: RunUser): readonly string[] {
  const ids = ["--reuid", String(uid), "--regid", String(gid), "--clear-groups"];
  return [changeUser, ...ids, "--bounding-set", "-all", "--inh-caps", "-all", "--no-new-privs", "--"];
}

/** It is what closes the others' processes where they are in sight. */
function userNamespace({ proc }: Bubblewrap): string {
  return proc === "shared" ? "--unshare-user" : "--unshare-user-try";
}

function proc({ proc }: Bubblewrap): readonly string[] {
  return proc === "own" ? ["--proc", "/proc"] : ["--bind", "/proc", "/proc"];
}

function readOnly(path: string): readonly string[] {
  return ["--ro-bind-try", path, path];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** How bubblewrap itself says that it could not start the program (its exit code is 1, like that of many an agent). */
export function bubblewrapFailure(output: string): string | undefined {
  return /^(?:bwrap|setpriv): (.+)$/m.exec(output.slice(0, 500))?.[1];
}
