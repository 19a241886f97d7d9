/** What one confined run may reach. Every path is absolute. */
export interface Reach {
  /** Writable, and the working directory. */
  readonly workspace: string;
  /** The person's home as the agent sees it: an empty folder of the task, writable, in place of the real one. */
  readonly home: string;
  readonly emptyHome: string;
  /** Stands in for `/tmp`. */
  readonly emptyTemporary: string;
  /** Readable beside the system's own folders. */
  readonly readable: readonly string[];
  /** The CLI's own folders: its login and its sessions. */
  readonly writable: readonly string[];
  /** Settings within those that a later run would obey: readable only. */
  readonly settings: readonly string[];
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
 * The command line that runs `argv` confined by bubblewrap: the system read-only, the home replaced by an empty one, `/tmp` of
 * its own, no other process in sight, the network as it is. Mounts come in this order because a later one lies over an
 * earlier one. Pure.
 */
export function bubblewrapArguments(bubblewrap: string, argv: readonly string[], reach: Reach): readonly string[] {
  return [
    bubblewrap,
    ...["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    // Whoever started the run going away ends it, also by kill -9.
    "--die-with-parent",
    ...[...SYSTEM, ...NAMES].flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--dev", "/dev", "--proc", "/proc"],
    ...["--bind", reach.emptyTemporary, "/tmp", "--setenv", "TMPDIR", "/tmp"],
    ...["--bind", reach.emptyHome, reach.home],
    ...reach.readable.flatMap((path) => ["--ro-bind-try", path, path]),
    ...reach.writable.flatMap((path) => ["--bind-try", path, path]),
    ...reach.settings.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--bind", reach.workspace, reach.workspace, "--chdir", reach.workspace],
    "--",
    ...argv,
  ];
}

/** How bubblewrap itself says that it could not start the program (its exit code is 1, like that of many an agent). */
export function bubblewrapFailure(output: string): string | undefined {
  return /^bwrap: (.+)$/m.exec(output.slice(0, 500))?.[1];
}
