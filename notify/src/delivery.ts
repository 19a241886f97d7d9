import type { Clock, Secret } from "@nest/kit";
import type { ChannelConfig } from "@nest/protocol";
import type { Message, Sender } from "./message.ts";

/** What became of one try. `because` is a sentence of ours: what a receiver says may hold anything, secrets too. */
export type Outcome =
  | { readonly kind: "delivered" }
  /** `isFinal`: another try would end the same way. */
  | { readonly kind: "failed"; readonly because: string; readonly isFinal: boolean };

/** One message on its way; a second try has the same id. */
export interface Envelope {
  readonly id: string;
  readonly message: Message;
  readonly sender: Sender;
}

export interface DeliveryDeps {
  readonly clock: Clock;
  /** Ends whatever is in flight. */
  readonly signal: AbortSignal;
}

/** Sends one message once. Never throws: a receiver that is away is an ordinary outcome. */
export type Deliver<Kind extends ChannelConfig["kind"]> = (
  envelope: Envelope,
  channel: Extract<ChannelConfig, { kind: Kind }> & { readonly key: Secret | undefined },
  deps: DeliveryDeps,
) => Promise<Outcome>;

/** A receiver that takes longer is as good as away. */
export const TIMEOUT_MS = 10_000;

export function failed(because: string, isFinal = false): Outcome {
  return { kind: "failed", because, isFinal };
}

/** Runs one try with its time limit, counted by the clock that is passed in. */
export async function withinTime(
  { clock, signal }: DeliveryDeps,
  attempt: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const late = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => late.abort());
  try {
    return await attempt(AbortSignal.any([signal, late.signal]));
  } catch (thrown) {
    if (late.signal.aborted) return failed(`no answer within ${TIMEOUT_MS / 1000} s`);
    return failed(`it cannot be reached (${codeOf(thrown)})`);
  } finally {
    cancel();
  }
}

/** The code of a failed connection, such as ECONNREFUSED. The sentences of these errors can repeat addresses and answers. */
function codeOf(thrown: unknown): string {
  for (const error of [thrown, (thrown as { cause?: unknown } | undefined)?.cause]) {
    // The mail program puts a code of its own over the one that says more, such as that of a certificate.
    const { originalCode, code } = (error ?? {}) as { readonly originalCode?: unknown; readonly code?: unknown };
    for (const one of [originalCode, code]) if (typeof one === "string" && /^[A-Z_]{3,40}$/.test(one)) return one;
  }
  return "the connection failed";
}
