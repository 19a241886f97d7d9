import { clearWorkspaces, makeWorkspace } from "@nest/agents";

/** The workspaces of runs that go on. One is made or cleared away at a time: a new one is never taken for one that is over. */
export class Workspaces {
  readonly #root: string;
  readonly #current = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(root: string) {
    this.#root = root;
  }

  /** An empty folder for one run. */
  make(run: string, now: number): Promise<string> {
    return this.#inTurn(async () => {
      const workspace = await makeWorkspace(this.#root, run, now);
      this.#current.add(workspace);
      return workspace;
    });
  }

  /** The run is over: its folder is one of those that are cleared away, all but the last three. Returns what cannot be removed. */
  end(workspace: string): Promise<readonly string[]> {
    return this.#inTurn(() => {
      this.#current.delete(workspace);
      return clearWorkspaces(this.#root, [...this.#current]);
    });
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(act, act);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}
