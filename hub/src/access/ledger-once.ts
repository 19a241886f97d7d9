import type { Once } from "@nest/auth";
import { type CommandBatcher, changeSetting, type Ledger } from "@nest/dispatch";
import type { Clock } from "@nest/kit";

export interface LedgerOnceDeps {
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly clock: Clock;
  /** What the names of its settings begin with. */
  readonly prefix: string;
  /** Who is named as the cause in the database. */
  readonly actor: string;
}

/** Names remembered at most; the oldest are forgotten first. */
const MOST_REMEMBERED = 5000;

/** Lets each name pass once, across restarts and replicas: a webhook, a sign-in that was sent away. */
export class LedgerOnce implements Once {
  readonly #deps: LedgerOnceDeps;

  constructor(deps: LedgerOnceDeps) {
    this.#deps = deps;
  }

  async isFirst(name: string): Promise<boolean> {
    const { clock, prefix, actor } = this.#deps;
    let isFirst = false;
    await changeSetting(this.#deps, { name: prefix + name, actor }, (before) => {
      isFirst = before === undefined;
      return isFirst ? { value: clock.now() } : undefined;
    });
    this.#forgetOldest();
    return isFirst;
  }

  #forgetOldest(): void {
    const { ledger, batcher, prefix } = this.#deps;
    const remembered = ledger.settingsOf(prefix);
    if (remembered.length <= MOST_REMEMBERED) return;
    remembered.sort(([, a], [, b]) => Number(a) - Number(b));
    for (const [name] of remembered.slice(0, remembered.length - MOST_REMEMBERED))
      batcher.submit({ kind: "setting", name, actor: "hub", change: { value: undefined } });
  }
}
