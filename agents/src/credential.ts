import { rmSync } from "node:fs";
import { mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFileAtomic } from "@nest/kit";
import { handOver, type RunUser } from "./sandbox/run-user.ts";
import { removeFolder } from "./workspace/remove-folder.ts";
import { isAlive } from "./workspace/workspace.ts";

const FOLDER = /^nest-credential-(\d+)-/;

/** Answers git with what the token file beside it holds at that moment. */
const HELPER = `#!/bin/sh
# Hands git the short-lived credential of the task in hand.
[ "$1" = get ] || exit 0
token=$(cat "$(dirname "$0")/token") || exit 0
printf 'username=x-access-token\\npassword=%s\\n' "$token"
`;

/**
 * The short-lived code-host credential of one task: a 0600 token file and a git credential helper that reads it, so that a
 * renewal reaches a running agent. The token is in no argument list. Both files go with {@link TaskCredential.remove}, or at
 * the latest when the process exits.
 */
export class TaskCredential {
  readonly #folder: string;
  readonly #webBase: string;
  #user: RunUser | undefined;
  readonly #onExit = () => rmSync(this.#folder, { recursive: true, force: true });

  private constructor(folder: string, webBase: string) {
    this.#folder = folder;
    this.#webBase = webBase;
    process.on("exit", this.#onExit);
  }

  /** Writes the first token. `webBase` is the only host that the helper answers for. */
  static async create(token: string, webBase: string, inFolder: string = tmpdir()): Promise<TaskCredential> {
    const folder = await mkdtemp(join(inFolder, `nest-credential-${process.pid}-`));
    const credential = new TaskCredential(folder, webBase.replace(/\/+$/, ""));
    await writeFile(join(folder, "git-credential"), HELPER, { mode: 0o700 });
    await credential.renew(token);
    return credential;
  }

  /** Where token and helper are. */
  get folder(): string {
    return this.#folder;
  }

  /** Puts a newer token in place of the old one, at once for every reader. */
  async renew(token: string): Promise<void> {
    const beside = join(this.#folder, "token.next");
    await writeFileAtomic(beside, `${token}\n`, { mode: 0o600 });
    if (this.#user !== undefined) await handOver(beside, this.#user);
    await rename(beside, join(this.#folder, "token"));
  }

  /** Lets that user read it: a relay that runs as root runs its agents as other users. */
  async belongTo(user: RunUser): Promise<void> {
    this.#user = user;
    await handOver(this.#folder, user);
  }

  /** Variables that make git ask our helper, and nobody else, for this code host. */
  environment(): Record<string, string> {
    const key = `credential.${this.#webBase}.helper`;
    const helper = join(this.#folder, "git-credential").replaceAll("'", "'\\''");
    return {
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: key,
      GIT_CONFIG_VALUE_0: "",
      GIT_CONFIG_KEY_1: key,
      GIT_CONFIG_VALUE_1: `!'${helper}'`,
      GIT_TERMINAL_PROMPT: "0",
    };
  }

  async remove(): Promise<void> {
    process.off("exit", this.#onExit);
    const left = await removeFolder(this.#folder);
    if (left !== undefined) throw new Error(`the task's credential cannot be removed: ${left}`);
  }
}

/** Removes the credentials of relays that were killed without a chance to clean up. */
export async function clearCredentials(inFolder: string = tmpdir()): Promise<void> {
  const names = await readdir(inFolder).catch(() => []);
  const left = names.filter((name) => {
    const pid = FOLDER.exec(name)?.[1];
    return pid !== undefined && !isAlive(Number(pid));
  });
  await Promise.allSettled(left.map((name) => rm(join(inFolder, name), { recursive: true, force: true })));
}
