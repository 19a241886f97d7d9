import { cp, mkdir, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Backend } from "../backend.ts";
import { removeBelow, removeFolder } from "../remove-folder.ts";
import { OF_A_RUN } from "../workspace.ts";
import { type Bubblewrap, bubblewrapArguments } from "./bubblewrap.ts";
import { copyOwnFolders } from "./private-copy.ts";
import { filesOfPerson, readableFor, type Surroundings } from "./reach.ts";
import { accountsWith, freeUser, handOver, type RunUser } from "./run-user.ts";

/** What keeps an agent from the rest of the machine, and its processes together. */
export type Confinement =
  /** Each run within walls of its own, on a host or in a container. */
  | { readonly kind: "bubblewrap" | "container"; readonly runs: "sandboxed"; readonly bubblewrap: Bubblewrap }
  /** No walls but a container's. Each run has processes of its own, and ends with the last of them. */
  | {
      readonly kind: "none" | "container";
      readonly runs: "apart";
      readonly bubblewrap: Bubblewrap;
      readonly because: string;
    }
  /** The same, and a run's processes have to be looked for. */
  | { readonly kind: "none" | "container"; readonly runs: "loose"; readonly because: string };

export interface ConfinedRun {
  readonly backend: Backend;
  /** Absolute path of the agent's program. */
  readonly agent: string;
  readonly workspace: string;
  /** Files and folders of the task that the agent reads: its credential, its context. */
  readonly taskPlaces: readonly string[];
  /** What the contributor lets it read besides (`NEST_SANDBOX_READ`). */
  readonly alsoReadable: readonly string[];
  /** The relay's own folders, out of the agent's sight wherever they are. */
  readonly hidden: readonly string[];
  readonly inContainer: boolean;
  readonly around: Surroundings;
}

/** The walls of one run. */
export interface Sandbox {
  /** Turns a command line into the confined one. */
  readonly confined: (argv: readonly string[]) => readonly string[];
  /** Whom the run's processes belong to, where that is not who started the relay. */
  readonly user: RunUser | undefined;
  /** Takes over what the CLI renewed of its login, and removes the private copies. Call it when no process of the run is left. */
  takeDown(): Promise<void>;
}

/** Readies a run's walls: a private home with the CLI's login, and a `/tmp`, beside its workspace. */
export async function confine(bubblewrap: Bubblewrap, run: ConfinedRun): Promise<Sandbox> {
  const { backend, agent, workspace, taskPlaces, alsoReadable } = run;
  const around = { ...run.around, home: run.around.home.replace(/(?<=.)\/+$/, "") };
  const { home } = around;
  const user = bubblewrap.changeUser === undefined ? undefined : await freeUser();
  const beside = (name: (typeof OF_A_RUN)[number]) => join(workspace, "..", name);
  const [privateHome, emptyTemporary, besides] = [beside("home"), beside("tmp"), beside("own")];
  for (const folder of [privateHome, emptyTemporary, besides]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const copies = await copyOwnFolders(backend.ownFolders(around.environment), { home, privateHome, besides });
  const copied = user === undefined ? [] : filesOfPerson(around);
  await copyInto(privateHome, home, copied);
  const needed = (await readableFor(agent, around)).filter((path) => !copied.includes(path));
  const readable = await withinReach([...needed, ...alsoReadable, ...taskPlaces]);
  const shown = [...readable, workspace, ...copies.binds.map(([, at]) => at)];
  await makeWayTo(shown, home, privateHome);
  await makeWayTo(shown, "/tmp", emptyTemporary);
  if (user !== undefined)
    for (const place of [privateHome, emptyTemporary, besides, workspace, ...taskPlaces]) await handOver(place, user);
  const reach = {
    base: run.inContainer ? ("everything" as const) : ("system" as const),
    workspace,
    // A user without a home of their own has `/`, where nothing can be laid over.
    shownHome: home === "/" ? "/tmp/home" : home,
    privateHome,
    emptyTemporary,
    hidden: await outsideOf(home, run.hidden),
    readable,
    copies: copies.binds,
    accounts: user === undefined ? [] : await accountsWith(user, home, beside("accounts")),
    user,
  };
  return {
    confined: (argv) => bubblewrapArguments(bubblewrap, argv, reach),
    user,
    async takeDown() {
      await copies.giveBack();
      // The logins go first: the rest may be large.
      await copies.remove();
      for (const file of copied) await removeBelow(privateHome, join(privateHome, relative(home, file)));
      // What stays is tried again, and told of, when the workspaces are cleared.
      await Promise.all(OF_A_RUN.map((name) => removeFolder(beside(name))));
    },
  };
}

/** Copies a person's own files: another user could not read them where they are. */
async function copyInto(privateHome: string, home: string, files: readonly string[]): Promise<void> {
  for (const file of files)
    await cp(file, join(privateHome, relative(home, file)), { recursive: true, dereference: true }).catch(
      () => undefined,
    );
}

/** Those that are there, and that whoever runs the relay can get to: bubblewrap gives up at any other. */
async function withinReach(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.filter((_, at) => found[at] !== undefined);
}

/** Makes the folders that lead to what is shown in a place, so that they are the agent's own and not bubblewrap's. */
async function makeWayTo(paths: readonly string[], place: string, standIn: string): Promise<void> {
  for (const path of paths)
    if (path.startsWith(place + sep))
      await mkdir(join(standIn, dirname(relative(place, path))), { recursive: true, mode: 0o700 });
}

/** Folders that are there and not already hidden with the home or `/tmp`. */
async function outsideOf(home: string, folders: readonly string[]): Promise<readonly string[]> {
  return (await withinReach(folders)).filter(
    (folder) => ![home, "/tmp"].some((place) => `${folder}${sep}`.startsWith(place + sep)),
  );
}
