import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Backend } from "../backend.ts";
import { findBinary } from "../binary.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import { ownPlaces, readableFor, type Surroundings } from "./reach.ts";

const run = promisify(execFile);
const PROBE_MS = 5000;

/** What keeps an agent from the rest of the machine. */
export type Confinement =
  /** The relay runs in a container, and that is the wall. */
  | { readonly kind: "container" }
  /** Each run in a bubblewrap of its own. */
  | { readonly kind: "bubblewrap"; readonly binary: string }
  | { readonly kind: "none"; readonly because: string };

/** Looks whether this machine can confine agents with bubblewrap: it is there, and the system lets it. */
export async function findBubblewrap(path: string | undefined): Promise<Confinement> {
  if (process.platform !== "linux") return { kind: "none", because: "bubblewrap is for Linux; use a container here" };
  const binary = await findBinary("bwrap", path);
  if (binary === undefined) return { kind: "none", because: "bubblewrap (bwrap) is not installed" };
  const probe = ["--unshare-user-try", "--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
  return run(binary, [...probe, "--", "/bin/true"], { timeout: PROBE_MS, env: {} }).then(
    () => ({ kind: "bubblewrap", binary }),
    (thrown: { stderr?: string }) => {
      const why = /^bwrap: (.+)$/m.exec(thrown.stderr ?? "")?.[1] ?? "it does not start";
      return { kind: "none", because: `this system does not let bubblewrap work: ${why}` };
    },
  );
}

export interface ConfinedRun {
  readonly backend: Backend;
  /** Absolute path of the agent's program. */
  readonly agent: string;
  readonly workspace: string;
  /** Files and folders of the task that the agent reads: its credential, its context. */
  readonly taskPlaces: readonly string[];
  /** What the contributor lets it read besides (`NEST_SANDBOX_READ`). */
  readonly alsoReadable: readonly string[];
  readonly around: Surroundings;
}

/** Readies a run's walls: an empty home and `/tmp` beside its workspace. Answers with what turns a command line into the confined one. */
export async function confine(
  bubblewrap: string,
  { backend, agent, workspace, taskPlaces, alsoReadable, around }: ConfinedRun,
): Promise<(argv: readonly string[]) => readonly string[]> {
  const [emptyHome, emptyTemporary] = [join(workspace, "../home"), join(workspace, "../tmp")];
  await Promise.all([emptyHome, emptyTemporary].map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })));
  const readable = [...(await readableFor(agent, around)), ...alsoReadable, ...taskPlaces];
  const reach = {
    workspace,
    home: around.home,
    emptyHome,
    emptyTemporary,
    readable,
    ...(await ownPlaces(backend, around)),
  };
  return (argv) => bubblewrapArguments(bubblewrap, argv, reach);
}
