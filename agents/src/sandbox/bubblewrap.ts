import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { findBinary } from "../cli/binary.ts";
import { isUnder } from "./places.ts";
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
  /** The relay's own folders: they look empty to the agent. */
  readonly hidden: readonly string[];
  /** Files that the agent cannot read. */
  readonly hiddenFiles: readonly string[];
  /** Readable beside the base. */
  readonly readable: readonly string[];
  /** Writable beside the workspace. */
  readonly writable: readonly string[];
  /** The CLI's own folders outside of the home: a writable copy is shown in place of each. */
  readonly copies: readonly (readonly [copy: string, shownAt: string])[];
  /** The same, but read-only: account files. */
  readonly accounts: readonly (readonly [copy: string, shownAt: string])[];
  /** Whom the run's processes belong to, where the relay is root. */
  readonly user: RunUser | undefined;
}

/** Programs, libraries and settings of the system. Places for data (`/home`, `/root`, `/var`, `/srv`, `/mnt`) are not there. */
export const SYSTEM = [
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
 * Finds bubblewrap, and runs a program in it to see whether the system lets it work. A relay that is root on a host also needs
 * it to change the user, because an agent that is root could use root's files; in a container that is not needed.
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
 * The command line that runs `argv` confined: the system read-only, a private home and a private `/tmp`, no other processes in
 * sight, no capability, the network unchanged. The order of the mounts matters: a later one covers an earlier one. Pure.
 */
export function bubblewrapArguments(bubblewrap: Bubblewrap, argv: readonly string[], reach: Reach): readonly string[] {
  const all = reach.base === "everything";
  const shown = [
    reach.shownHome,
    ...reach.readable,
    ...reach.copies.map(([, shownAt]) => shownAt),
    ...reach.writable,
    reach.workspace,
  ];
  const missing = wayTo(shown, reach.shownHome).filter((folder) => !all || isUnder(folder, reach.hidden));
  const mounts = [
    ...(all ? ["--ro-bind", "/", "/"] : [...SYSTEM, ...NAMES].flatMap(readOnly)),
    ...reach.hidden.flatMap((path) => ["--tmpfs", path]),
    ...reach.hiddenFiles.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...missing.flatMap((folder) => ["--perms", "0755", "--dir", folder]),
    ...["--dev", "/dev"],
    ...["--bind", reach.emptyTemporary, "/tmp", "--setenv", "TMPDIR", "/tmp"],
    ...["--bind", reach.privateHome, reach.shownHome, "--setenv", "HOME", reach.shownHome],
    ...reach.readable.flatMap(readOnly),
    ...reach.copies.flatMap(([copy, shownAt]) => ["--bind", copy, shownAt]),
    ...reach.accounts.flatMap(([copy, shownAt]) => ["--ro-bind", copy, shownAt]),
    ...reach.writable.flatMap((path) => ["--bind", path, path]),
    ...["--bind", reach.workspace, reach.workspace, "--chdir", reach.workspace],
  ];
  return within(bubblewrap, mounts, argv, reach.user);
}

/**
 * The command line that runs `argv` unconfined, but in its own process namespace: whatever it starts, however it hides, ends
 * with it. Pure.
 */
export function inOwnProcesses(bubblewrap: Bubblewrap, argv: readonly string[]): readonly string[] {
  const { binary, changeUser } = bubblewrap;
  // Root that may mount needs no user namespace, and would lose rights over files in one.
  const asUser = changeUser === undefined ? [userNamespace(bubblewrap), "--cap-drop", "ALL"] : [];
  const mounts = ["--dev-bind", "/", "/", ...proc(bubblewrap)];
  return [binary, ...asUser, "--unshare-pid", "--die-with-parent", ...mounts, "--", ...argv];
}

/** The parent folders of what is shown, readable by everybody: bubblewrap itself would make them readable by root alone. */
function wayTo(paths: readonly string[], home: string): readonly string[] {
  const above = new Set<string>();
  for (const path of paths) for (let at = dirname(path); at !== "/" && at !== "."; at = dirname(at)) above.add(at);
  return [...above].filter((folder) => !isUnder(folder, [...SYSTEM, "/tmp", home])).sort((a, b) => a.length - b.length);
}

function within(bubblewrap: Bubblewrap, mounts: readonly string[], argv: readonly string[], user: RunUser | undefined) {
  const { binary, changeUser } = bubblewrap;
  const namespaces = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
  const changing = user === undefined || changeUser === undefined ? undefined : asUser(changeUser, user);
  return [
    binary,
    ...(changing === undefined ? [userNamespace(bubblewrap), ...namespaces] : namespaces),
    // The run ends when the process that started it ends, even by kill -9.
    "--die-with-parent",
    ...mounts,
    ...proc(bubblewrap),
    ...["--cap-drop", "ALL"],
    // Root changes the user inside, after all mounts; the capabilities for it are gone with that change.
    ...(changing === undefined ? [] : CHANGING.flatMap((name) => ["--cap-add", name])),
    "--",
    ...(changing ?? []),
    ...argv,
  ];
}

/** The capabilities needed to become another user in a folder that only that user may enter. */
const CHANGING = ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_READ_SEARCH"];

function asUser(changeUser: string, { uid, gid }: RunUser): readonly string[] {
  const ids = ["--reuid", String(uid), "--regid", String(gid), "--clear-groups"];
  return [changeUser, ...ids, "--bounding-set", "-all", "--inh-caps", "-all", "--no-new-privs", "--"];
}

/** A user namespace protects other processes from the run where the run can see them. */
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
