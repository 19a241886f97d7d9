import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, makePrivateFolder, readTextIfPresent, writeFileAtomic } from "@nest/kit";
import { terminateTree } from "./terminate.ts";
import { isAlive } from "./workspace/workspace.ts";

/**
 * Records which agents run under which process of ours, so that a relay or a nest that comes back after `kill -9` ends the agents it
 * left behind before it starts others.
 */
export class RunJournal {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, "runs");
  }

  /** Records a run that is about to begin. */
  async begin(mark: string): Promise<void> {
    await makePrivateFolder(this.#folder);
    await writeFileAtomic(join(this.#folder, mark), `${process.pid}\n`);
  }

  async end(mark: string): Promise<void> {
    await rm(join(this.#folder, mark), { force: true });
  }

  /** Ends the agents of processes that have ended; returns how many runs there were. */
  async endLeftovers(clock: Clock): Promise<number> {
    const marks = await readdir(this.#folder).catch(() => []);
    let ended = 0;
    for (const mark of marks.filter((name) => /^[0-9a-f]+$/.test(name))) {
      const pid = Number(await readTextIfPresent(join(this.#folder, mark)));
      if (Number.isSafeInteger(pid) && pid > 0 && isAlive(pid)) continue;
      await terminateTree({ root: -1, mark, seen: new Map() }, clock);
      await this.end(mark);
      ended += 1;
    }
    return ended;
  }
}
