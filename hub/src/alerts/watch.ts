import { type CommandBatcher, changeSetting, type Ledger } from "@nest/dispatch";
import { type CancelTimer, type Clock, type Log, sentenceOf } from "@nest/kit";
import { linkTo, type Message } from "@nest/notify";
import { type HubAlertKind, hubAlertKinds } from "@nest/protocol";
import { z } from "zod";
import { type Condition, conditionsOf, type Facts } from "./conditions.ts";

const EVERY_MS = 60_000;
/** What was wrong is over when it has not been seen for so long: trouble that comes and goes is told once. */
const CALM_MS = 5 * 60_000;
/** The setting with what is open: every replica knows it, and a restart tells nothing again. */
const OPEN_SETTING = "alerts-open";

const Open = z.record(
  z.string(),
  z.object({ kind: z.enum(hubAlertKinds), title: z.string(), text: z.string(), since: z.number() }),
);
export type OpenAlerts = z.infer<typeof Open>;

export interface AlertWatchDeps {
  readonly facts: () => Promise<Facts>;
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly tell: (message: Message<HubAlertKind>) => void;
  /** True at one replica, which tells for all of them. */
  readonly isMine: () => boolean;
  /** Where people open the hub, if that is known. */
  readonly address: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks every minute at what may be wrong; tells once when it is, and once when it is over. */
export class AlertWatch {
  readonly #deps: AlertWatchDeps;
  /** Since when each condition has been seen without a break. */
  readonly #seen = new Map<string, number>();
  /** Since when each open alert has not been seen. */
  readonly #calm = new Map<string, number>();
  /** What was told and could not be written down yet: told again at each look it would be no news. */
  readonly #unwritten = new Set<string>();
  #stop: CancelTimer = () => {};
  #looking: Promise<void> | undefined;

  constructor(deps: AlertWatchDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#stop = this.#deps.clock.every(EVERY_MS, () => void this.look());
  }

  async stop(): Promise<void> {
    this.#stop();
    await this.#looking;
  }

  /** What was told and is not over. */
  get open(): OpenAlerts {
    return Open.safeParse(this.#deps.ledger.setting(OPEN_SETTING)).data ?? {};
  }

  /** Looks now. A second call while one runs waits for that one. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((thrown) => this.#deps.log.warn({ because: sentenceOf(thrown) }, "could not look for what is wrong"))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { facts, clock, isMine } = this.#deps;
    const conditions = conditionsOf(await facts());
    const now = clock.now();
    const keys = new Set(conditions.map(({ key }) => key));
    for (const key of this.#seen.keys()) if (!keys.has(key)) this.#seen.delete(key);
    for (const { key } of conditions) if (!this.#seen.has(key)) this.#seen.set(key, now);
    if (!isMine()) return;
    const { open } = this;
    const begun = conditions.filter(
      ({ key, forMs }) => open[key] === undefined && now - (this.#seen.get(key) ?? now) >= forMs,
    );
    const over = Object.keys(open).filter((key) => this.#isOver(key, keys.has(key), now));
    if (begun.length === 0 && over.length === 0) return;
    for (const condition of begun) this.#once(`begun ${condition.key}`, () => this.#tellBegin(condition, now));
    for (const key of over)
      this.#once(`over ${key}`, () => this.#tellEnd(open[key]?.kind, open[key]?.title ?? key, now));
    await this.#keep(begun, over, now);
    this.#unwritten.clear();
  }

  #once(what: string, tell: () => void): void {
    if (this.#unwritten.has(what)) return;
    this.#unwritten.add(what);
    tell();
  }

  #isOver(key: string, isSeen: boolean, now: number): boolean {
    if (isSeen) {
      this.#calm.delete(key);
      return false;
    }
    const since = this.#calm.get(key) ?? now;
    this.#calm.set(key, since);
    return now - since >= CALM_MS;
  }

  #tellBegin({ kind, title, text }: Condition, now: number): void {
    this.#deps.tell({ event: kind, at: iso(now), title, text, link: this.#link() });
  }

  #tellEnd(kind: HubAlertKind | undefined, title: string, now: number): void {
    if (kind === undefined) return;
    this.#deps.tell({ event: kind, at: iso(now), title: `Over: ${title}`, text: "", link: this.#link() });
  }

  #link(): string | undefined {
    return linkTo(this.#deps.address, "/alerts");
  }

  /** After it was told: a crash between the two tells it twice rather than never. */
  async #keep(begun: readonly Condition[], over: readonly string[], now: number): Promise<void> {
    await changeSetting(this.#deps, { name: OPEN_SETTING, actor: "hub" }, (before) => {
      const open: Record<string, OpenAlerts[string]> = { ...Open.safeParse(before).data };
      for (const key of over) delete open[key];
      for (const { key, kind, title, text } of begun) open[key] = { kind, title, text, since: now };
      return { value: open };
    });
    for (const key of over) this.#calm.delete(key);
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
