import { readFile, readlink, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAlive } from "@nest/agents";
import {
  type CancelTimer,
  type Clock,
  clearLockFile,
  makePrivateFolder,
  placeLockFile,
  readTextIfPresent,
  removeLockFile,
} from "@nest/kit";

/**
 * A holder whose process cannot be looked up (another machine, another container) counts as gone after this long without a sign
 * of life.
 */
const SILENT_MS = 30_000;
const SIGN_EVERY_MS = 10_000;
const MOST_TRIES = 5;

/** The process that holds a name. The start time tells it from a later process with the same number. */
interface Holder {
  readonly pid: number;
  readonly started: string;
  /** Where that process number is valid: this boot of this machine, this container. */
  readonly space: string;
}

/** A name that nobody else on this folder uses until it is released, or this process has ended. */
export interface NameLock {
  release(): void;
}

/**
 * Takes a name in a folder; undefined while another relay holds it. A name of a relay that was killed is taken over: at once
 * where its process can be looked up, else after 30 s without a sign of life.
 */
export async function takeName(folder: string, name: string, clock: Clock): Promise<NameLock | undefined> {
  await makePrivateFolder(folder);
  const path = join(folder, name);
  const mine = JSON.stringify(await thisProcess());
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if (await placeLockFile(path, mine)) return keep(path, mine, clock);
    const seen = await readTextIfPresent(path);
    if (seen === undefined) continue;
    if ((await isHeld(path, seen)) || !(await clearLockFile(path, seen))) return undefined;
  }
  return undefined;
}

/** Whether a relay that is still running holds the name. */
export async function isNameHeld(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name);
  const seen = await readTextIfPresent(path);
  return seen !== undefined && isHeld(path, seen);
}

async function isHeld(path: string, content: string): Promise<boolean> {
  const holder = holderOf(content);
  if (holder?.space === (await spaceHere()))
    return isAlive(holder.pid) && (await startOf(holder.pid)) === holder.started;
  const sign = await stat(path).catch(() => undefined);
  return sign !== undefined && Date.now() - sign.mtimeMs < SILENT_MS;
}

function holderOf(content: string): Holder | undefined {
  try {
    const { pid, started, space } = JSON.parse(content) as Holder;
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, started, space } : undefined;
  } catch {
    return undefined;
  }
}

function keep(path: string, mine: string, clock: Clock): NameLock {
  // A relay on a machine that was suspended may have lost its name to another one: theirs stays.
  const onExit = () => removeLockFile(path, mine);
  process.on("exit", onExit);
  const cancel: CancelTimer = clock.every(SIGN_EVERY_MS, () => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  });
  return {
    release() {
      cancel();
      process.off("exit", onExit);
      removeLockFile(path, mine);
    },
  };
}

async function thisProcess(): Promise<Holder> {
  return { pid: process.pid, started: await startOf(process.pid), space: await spaceHere() };
}

/** When a process started, in the system's own ticks; empty where the system does not tell. */
async function startOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name in parentheses may hold anything; the 20th field after it is the start.
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

async function spaceHere(): Promise<string> {
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => hostname());
  const numbers = await readlink("/proc/self/ns/pid").catch(() => "");
  return `${boot.trim()} ${numbers}`.trim();
}
