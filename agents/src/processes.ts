import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { RUN_MARK } from "./agent-environment.ts";

const run = promisify(execFile);

/** One process as the system lists it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Its user; -1 where that was not looked at. */
  readonly user: number;
  /** When it started, in the system's own unit: tells a process from a later one with the same number. */
  readonly startedAt: string;
  readonly mark?: string;
}

/** Every living process, zombies left out. */
export function processes(): Promise<readonly ProcessRow[]> {
  return process.platform === "linux" ? rowsFromProc() : rowsFromPs();
}

async function rowsFromProc(): Promise<readonly ProcessRow[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(names.map((name) => rowFromProc(name)));
  return rows.filter((row) => row !== undefined);
}

/** One process out of /proc; undefined for one that is gone, or a zombie. */
async function rowFromProc(pid: string): Promise<ProcessRow | undefined> {
  try {
    const line = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name stands in brackets and may hold anything, brackets too.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    const [mark, { uid }] = await Promise.all([markFromProc(pid), stat(`/proc/${pid}`)]);
    return {
      pid: Number(pid),
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      user: uid,
      startedAt: fields[19] ?? "",
      ...(mark === undefined ? {} : { mark }),
    };
  } catch {
    return undefined;
  }
}

/** The run's mark in a process's environment; none where it cannot be read (another user's process). */
async function markFromProc(pid: string): Promise<string | undefined> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1");
    const entry = environment.split("\0").find((line) => line.startsWith(`${RUN_MARK}=`));
    return entry?.slice(RUN_MARK.length + 1);
  } catch {
    return undefined;
  }
}

/** The same where there is no /proc (macOS): `ps` shows the environment of one's own processes behind the command. */
async function rowsFromPs(): Promise<readonly ProcessRow[]> {
  const { stdout } = await run("ps", ["-axEww", "-o", "pid=,ppid=,pgid=,sess=,stat=,lstart=,command="], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const form = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/;
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, group, session, state, startedAt, command] = form.exec(line) ?? [];
    if (pid === undefined || state?.startsWith("Z")) return [];
    const mark = new RegExp(`(?:^|\\s)${RUN_MARK}=(\\S+)`).exec(command ?? "")?.[1];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: Number.parseInt(session ?? "", 16) || 0,
        user: -1,
        startedAt: startedAt ?? "",
        ...(mark === undefined ? {} : { mark }),
      },
    ];
  });
}
