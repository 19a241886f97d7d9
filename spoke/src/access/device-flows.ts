import { Budget, type DeviceSignIn, Signer } from "@nest/auth";
import type { Account } from "@nest/codehost";
import { type Clock, NestError, type Random } from "@nest/kit";
import { z } from "zod";

const MINUTE_MS = 60_000;
const perMinute = (most: number) => ({ most, withinMs: MINUTE_MS });
/** Sign-ins whose pace is remembered; forgetting one costs a question to the code host and no more. */
const MOST_PACED = 5000;

/** A sign-in that waits for its person: what its browser keeps in a cookie, signed. */
const Flow = z.object({
  login_id: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  interval: z.number(),
  exp: z.number(),
});
type Flow = z.infer<typeof Flow>;

export type FlowState =
  | { readonly kind: "pending" | "slow_down"; readonly intervalSeconds: number }
  | { readonly kind: "failed"; readonly because: string }
  | { readonly kind: "complete"; readonly account: Account };

export interface DeviceFlowsDeps {
  readonly signIn: DeviceSignIn;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Sign-ins under way, one a browser. Nothing is stored here: the browser brings its own back in a cookie that only this nest could
 * have made. So no number of strangers who begin one disturbs anybody else's.
 */
export class DeviceFlows {
  readonly #deps: DeviceFlowsDeps;
  readonly #signer: Signer;
  readonly #starts: Budget;
  readonly #polls: Budget;
  /** When each sign-in may ask the code host again. */
  readonly #next = new Map<string, number>();

  constructor(deps: DeviceFlowsDeps) {
    this.#deps = deps;
    this.#signer = new Signer(Buffer.from(deps.random.hex(32), "hex"), "nest-spoke sign-in v1");
    this.#starts = new Budget(deps.clock, { what: "sign-ins", perAddress: perMinute(30), inAll: perMinute(300) });
    this.#polls = new Budget(deps.clock, {
      what: "questions about sign-ins",
      perAddress: perMinute(60),
      inAll: perMinute(600),
    });
  }

  /**
   * Begins a sign-in, or goes on with the one that this browser has begun: two of its windows show the same code.
   *
   * @throws NestError `too_many_requests`, `not_found` where there is no sign-in, and what a code host throws.
   */
  async start(cookie: string | undefined, address: string): Promise<{ readonly flow: Flow; readonly cookie: string }> {
    const begun = this.#open(cookie);
    if (cookie !== undefined && begun !== undefined) return { flow: begun, cookie };
    this.#starts.spend(address);
    const { expires_in, ...device } = await this.#deps.signIn.start();
    const flow = { ...device, exp: this.#deps.clock.now() + expires_in * 1000 };
    return { flow, cookie: this.#signer.sign(flow) };
  }

  /** Seconds until the code of a sign-in runs out. */
  secondsLeft({ exp }: Flow): number {
    return Math.max(0, Math.ceil((exp - this.#deps.clock.now()) / 1000));
  }

  /** How this browser's sign-in stands. The code host is asked no more often than it wants to be. */
  async poll(cookie: string | undefined, address: string): Promise<FlowState> {
    this.#polls.spend(address);
    const flow = this.#open(cookie);
    if (flow === undefined) return { kind: "failed", because: "no sign-in is under way in this browser: begin one" };
    const now = this.#deps.clock.now();
    const waitMs = (this.#next.get(flow.login_id) ?? 0) - now;
    if (waitMs > 0) return { kind: "slow_down", intervalSeconds: Math.ceil(waitMs / 1000) };
    this.#pace(flow, now + flow.interval * 1000);
    const state = await this.#deps.signIn.poll(flow.login_id);
    switch (state.status) {
      case "complete":
        return { kind: "complete", account: state.account };
      case "pending": {
        const intervalSeconds = state.interval ?? flow.interval;
        this.#pace(flow, now + intervalSeconds * 1000);
        return { kind: state.interval === undefined ? "pending" : "slow_down", intervalSeconds };
      }
      case "denied":
        return { kind: "failed", because: "the sign-in was declined at the code host" };
      case "expired":
        return { kind: "failed", because: "the code ran out: begin again" };
    }
  }

  #open(cookie: string | undefined): Flow | undefined {
    const flow = Flow.safeParse(this.#signer.open(cookie ?? ""));
    return flow.success && this.#deps.clock.now() < flow.data.exp ? flow.data : undefined;
  }

  #pace({ login_id }: Flow, at: number): void {
    this.#next.delete(login_id);
    this.#next.set(login_id, at);
    const [oldest] = this.#next.keys();
    if (this.#next.size > MOST_PACED && oldest !== undefined) this.#next.delete(oldest);
  }
}

/** The refusal of somebody who proved who they are and has no role here (spec: Authentication). */
export const REJECTED = "device-flow login rejected: user not authorized for this nest";

/** The error for a nest that signs nobody in. */
export function signInMissing(hint: string): NestError {
  return new NestError("not_found", "this nest has no sign-in of its own", { hint });
}
