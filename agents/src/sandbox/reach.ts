import { readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";

/** Folders beside a folder of programs that those programs need to run. */
const BESIDE_PROGRAMS = ["lib", "lib64", "libexec", "node_modules"];
/** Git's settings of the person; none of these files holds a credential. */
const GIT_SETTINGS = [".gitconfig", ".config/git"];
/** The person's own login at the code host: shown only where a task brings none of its own. */
const OWN_LOGIN = [".config/gh", ".git-credentials", ".ssh/known_hosts"];

/** Variables that say that the login is elsewhere. */
const OWN_LOGIN_VARIABLES = ["GH_CONFIG_DIR", "SSH_AUTH_SOCK"];
const CERTIFICATES = ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"];

export interface Surroundings {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The task brings a short-lived credential, so the person's own login stays out of reach. */
  readonly hasCredential: boolean;
}

/** How git and the code host know the person, in the home: git's settings, and their own login where the task brings none. */
export function filesOfPerson({ home, hasCredential }: Surroundings): readonly string[] {
  return [...GIT_SETTINGS, ...(hasCredential ? [] : OWN_LOGIN)].map((name) => join(home, name));
}

/**
 * The paths that an agent CLI must read to run at all: its program, what that is made of, the programs on PATH, and git's
 * settings.
 */
export async function readableFor(binary: string, around: Surroundings): Promise<readonly string[]> {
  const { home, environment, hasCredential } = around;
  const folders = (environment.PATH ?? "").split(":").filter(isAbsolute);
  const beside = folders.flatMap((folder) => BESIDE_PROGRAMS.map((name) => join(dirname(folder), name)));
  const variables = [...CERTIFICATES, ...(hasCredential ? [] : OWN_LOGIN_VARIABLES)];
  const named = variables.flatMap((name) => environment[name] ?? []);
  const config = environment.XDG_CONFIG_HOME;
  const configured = config === undefined ? [] : [join(config, "git"), ...(hasCredential ? [] : [join(config, "gh")])];
  const wanted = [
    ...folders,
    ...beside,
    ...(await placesOf(binary)),
    ...filesOfPerson(around),
    ...named,
    ...configured,
  ];
  const paths = [...new Set(wanted.filter(isAbsolute).map((path) => resolve(path)))];
  const hidden = [...(await namesOf(resolve(home))), ...(await namesOf("/tmp"))];
  const names = await Promise.all(paths.map(namesOf));
  const shown = paths.filter((_, at) => !names[at]?.some((outer) => hidden.some((inner) => holds(outer, inner))));
  // What is in a folder that is shown needs no mount of its own: for a link in there none could be made.
  return shown.filter((path) => !shown.some((folder) => path !== folder && holds(folder, path)));
}

/** The folder of a program, with every link followed: its whole package where npm installed it. */
async function placesOf(binary: string): Promise<readonly string[]> {
  const steps = [binary];
  for (let at = binary, links = 0; links < 16; links += 1) {
    const target = await readlink(at).catch(() => undefined);
    if (target === undefined) break;
    at = resolve(dirname(at), target);
    steps.push(at);
  }
  steps.push(...(await namesOf(binary)));
  return [...new Set(steps)].flatMap((step) => [step, packageOf(step)]);
}

function packageOf(path: string): string {
  const parts = path.split(sep);
  const at = parts.indexOf("node_modules");
  return at < 0 ? dirname(path) : parts.slice(0, at + 1).join(sep);
}

/** A path as it is written, and as it is with every link followed. */
async function namesOf(path: string): Promise<readonly string[]> {
  return [path, await realpath(path).catch(() => path)];
}

/** Whether `outer` is `inner` or a folder above it: reading `outer` would then show all of `inner`. */
function holds(outer: string, inner: string): boolean {
  return outer === sep || inner === outer || inner.startsWith(outer + sep);
}
