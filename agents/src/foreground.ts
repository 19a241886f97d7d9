import { execFile } from "node:child_process";
import { basename } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ash", "fish", "ksh", "mksh", "tcsh", "csh"]);
/** Shell options that take the next word as their value. */
const WITH_VALUE = new Set(["-o", "+o", "-O", "+O", "--rcfile", "--init-file"]);

/**
 * Whether a command line is an interactive shell: without a script and without `-c`, it would run whatever is typed. A shell
 * that runs a script (a wrapper around an agent, and whatever wrappers that one starts) is none. Pure.
 */
export function isBareShell(words: readonly string[]): boolean {
  const [program = "", ...rest] = words;
  if (!SHELLS.has(basename(program).replace(/^-/, ""))) return false;
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    if (WITH_VALUE.has(word)) at += 1;
    else if (!/^[-+]/.test(word) || /^-[a-z]*c/.test(word)) return false;
    else if (word === "--" || /^-[a-z]*s/.test(word)) return word !== "--" || rest[at + 1] === undefined;
  }
  return true;
}

/** Whether an interactive shell is in the foreground of that terminal; false for a terminal that is gone. */
export async function bareShellAt(tty: string): Promise<boolean> {
  const { stdout } = await run("ps", ["-t", tty.replace(/^\/dev\//, ""), "-o", "pgid=,tpgid=,args="]).catch(() => ({
    stdout: "",
  }));
  return stdout.split("\n").some((line) => {
    const [group, front, ...words] = line.trim().split(/\s+/);
    return group !== undefined && group === front && isBareShell(words);
  });
}
