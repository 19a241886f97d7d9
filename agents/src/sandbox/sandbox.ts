import { cp, mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Backend } from "../cli/backend.ts";
import { removeBelow, removeFolder } from "../workspace/remove-folder.ts";
import { OF_A_RUN } from "../workspace/workspace.ts";
import { type Bubblewrap, bubblewrapArguments, type Reach, SYSTEM } from "./bubblewrap.ts";
import { type IsVisible, isUnder, placeOf, unseenPlaces } from "./places.ts";
import { copyOwnFolders } from "./private-copy.ts";
import { filesOfPerson, readableFor, type Surroundings } from "./reach.ts";
import { accountsWith, freeUser, handOver, type RunUser } from "./run-user.ts";

/** How an agent is kept from the rest of the machine, and how its processes are kept together. */
export type Confinement =
  /** Each run has a sandbox of its own, on a host or in a container. */
  | { readonly kind: "bubblewrap" | "container"; readonly runs: "sandboxed"; readonly bubblewrap: Bubblewrap }
  /** No sandbox but a container around the relay. Each run has its own process namespace, and ends with it. */
  | {
      readonly kind: "none" | "container";
      readonly runs: "apart";
      readonly bubblewrap: Bubblewrap;
      readonly because: string;
    }
  /** The same without process namespaces: a run's processes have to be searched for. */
  | { readonly kind: "none" | "container"; readonly runs: "loose"; readonly because: string };

export interface ConfinedRun {
  readonly backend: Backend;
  /** Absolute path of the agent's program. */
  readonly agent: string;
  readonly workspace: string;
  /** Files and folders of the task that the agent reads: its credential, its context. */
  readonly taskPlaces: readonly string[];
  /** Further paths that the contributor lets it read (`NEST_SANDBOX_READ`). */
  readonly alsoReadable: readonly string[];
  /** Further folders that it writes to, which must exist; none where this is absent. */
  readonly alsoWritable?: readonly string[];
  /** The relay's own folders, out of the agent's sight wherever they are. */
  readonly hidden: readonly string[];
  readonly inContainer: boolean;
  readonly around: Surroundings;
}

/** The sandbox of one run. */
export interface Sandbox {
  /** Wraps a command line so that it runs confined. */
  readonly confined: (argv: readonly string[]) => readonly string[];
  /** Whom the run's processes belong to, where that is not who started the relay. */
  readonly user: RunUser | undefined;
  /** Copies a renewed login back and removes the private copies. Call it when no process of the run is left. */
  takeDown(): Promise<void>;
}

/** Prepares a run's sandbox: a private home with the CLI's login, and a private `/tmp`, both beside its workspace. */
export async function confine(bubblewrap: Bubblewrap, run: ConfinedRun): Promise<Sandbox> {
  const { backend, agent, workspace, taskPlaces, alsoReadable, alsoWritable = [] } = run;
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
  const hiding = await hiddenPlaces(home, run.hidden);
  const isVisible = visibleIn(run.inContainer, [home, "/tmp", ...hiding.hidden]);
  const readable = await unseenPlaces(await withinReach([...needed, ...alsoReadable, ...taskPlaces]), isVisible);
  const onPlaces = (binds: Reach["copies"]) =>
    Promise.all(binds.map(async ([copy, at]) => [copy, await placeOf(at, isVisible)] as const));
  const shown = [...readable, ...alsoWritable, workspace, ...copies.binds.map(([, at]) => at)];
  await makeWayTo(shown, home, privateHome);
  await makeWayTo([...shown, home], "/tmp", emptyTemporary);
  if (user !== undefined)
    for (const place of [privateHome, emptyTemporary, besides, workspace, ...taskPlaces, ...alsoWritable])
      await handOver(place, user);
  const reach = {
    base: run.inContainer ? ("everything" as const) : ("system" as const),
    workspace,
    // A user without a home has `/` as home, and nothing can be mounted over that.
    shownHome: home === "/" ? "/tmp/home" : home,
    privateHome,
    emptyTemporary,
    ...hiding,
    readable,
    writable: await Promise.all(alsoWritable.map((path) => placeOf(path, isVisible))),
    copies: await onPlaces(copies.binds),
    accounts: user === undefined ? [] : await onPlaces(await accountsWith(user, home, beside("accounts"))),
    user,
  };
  return {
    confined: (argv) => bubblewrapArguments(bubblewrap, argv, reach),
    user,
    async takeDown() {
      await copies.giveBack();
      // The logins are removed first: the rest may be large.
      await copies.remove();
      for (const file of copied) await removeBelow(privateHome, join(privateHome, relative(home, file)));
      // What cannot be removed is tried again, and reported, when the workspaces are cleared.
      await Promise.all(OF_A_RUN.map((name) => removeFolder(beside(name))));
    },
  };
}

/** What of the machine is seen before anything is mounted for a run: all of a container, or the system's own folders. */
function visibleIn(inContainer: boolean, covered: readonly string[]): IsVisible {
  return inContainer ? (path) => !isUnder(path, covered) : (path) => isUnder(path, SYSTEM) && !isUnder(path, covered);
}

/** Copies a person's own files into the private home: another user could not read them where they are. */
async function copyInto(privateHome: string, home: string, files: readonly string[]): Promise<void> {
  for (const file of files)
    await cp(file, join(privateHome, relative(home, file)), { recursive: true, dereference: true }).catch(
      () => undefined,
    );
}

/** The paths that exist and that the relay's user can read: bubblewrap gives up at any other. */
async function withinReach(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.filter((_, at) => found[at] !== undefined);
}

/** Makes the parent folders of the mounts inside the private places, so that they belong to the agent and not to bubblewrap. */
async function makeWayTo(paths: readonly string[], place: string, standIn: string): Promise<void> {
  for (const path of paths)
    if (path.startsWith(place + sep))
      await mkdir(join(standIn, dirname(relative(place, path))), { recursive: true, mode: 0o700 });
}

/** What is to be hidden, folders and files apart: an empty folder stands in for the one, an unreadable file for the other. */
async function hiddenPlaces(home: string, places: readonly string[]): Promise<Pick<Reach, "hidden" | "hiddenFiles">> {
  // Behind a link it is the thing itself that is hidden.
  const outside = await outsideOf(home, await Promise.all(places.map((place) => realpath(place).catch(() => place))));
  const kinds = await Promise.all(outside.map((place) => stat(place)));
  const areFolders = kinds.map((kind) => kind.isDirectory());
  return {
    hidden: outside.filter((_, at) => areFolders[at]),
    hiddenFiles: outside.filter((_, at) => !areFolders[at]),
  };
}

/** The places that exist and are not hidden already with the home or `/tmp`. */
async function outsideOf(home: string, folders: readonly string[]): Promise<readonly string[]> {
  return (await withinReach(folders)).filter(
    (folder) => ![home, "/tmp"].some((place) => `${folder}${sep}`.startsWith(place + sep)),
  );
}
