import { lchown, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A user id for one run alone: it has no account and no home, and nothing on the machine is theirs. */
export interface RunUser {
  readonly uid: number;
  readonly gid: number;
}

/** The range that systems use for temporary users (systemd's DynamicUser), so no account is in it. */
const FIRST = 61_184;
const COUNT = 4336;
let turns = 0;

/** A user for a run of a relay that is root: a number that no account and no process has. */
export async function freeUser(): Promise<RunUser> {
  const taken = new Set(await usersAtWork());
  const accounts = await readFile("/etc/passwd", "utf8").catch(() => "");
  for (const [, uid] of accounts.matchAll(/^[^:\n]*:[^:\n]*:(\d+):/gm)) taken.add(Number(uid));
  for (let tries = 0; tries < COUNT; tries += 1) {
    turns += 1;
    const uid = FIRST + ((process.pid * 7 + turns) % COUNT);
    if (!taken.has(uid)) return { uid, gid: uid };
  }
  throw new Error("every user number for agents is taken");
}

/** The user ids of all running processes. */
async function usersAtWork(): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const owners = await Promise.all(
    pids.map((pid) =>
      stat(`/proc/${pid}`).then(
        ({ uid }) => uid,
        () => -1,
      ),
    ),
  );
  return owners;
}

/** Gives a file, or a folder with everything in it, to that user. Links are not followed. */
export async function handOver(path: string, { uid, gid }: RunUser): Promise<void> {
  await lchown(path, uid, gid);
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await handOver(inner, { uid, gid });
    else await lchown(inner, uid, gid);
  }
}

/** Makes account files, in `folder`, in which that user has a name: some programs do not start without one. */
export async function accountsWith({ uid, gid }: RunUser, home: string, folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const lines = [
    ["passwd", `nest-agent:x:${uid}:${gid}::${home}:/bin/sh`],
    ["group", `nest-agent:x:${gid}:`],
  ] as const;
  return Promise.all(
    lines.map(async ([name, line]) => {
      const known = await readFile(join("/etc", name), "utf8").catch(() => "");
      await writeFile(join(folder, name), `${known.replace(/(?<=[^\n])$/, "\n")}${line}\n`, { mode: 0o644 });
      return [join(folder, name), join("/etc", name)] as const;
    }),
  );
}
