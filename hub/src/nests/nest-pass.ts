import { SESSION_MS, Signer } from "@nest/auth";
import type { Clock, Random } from "@nest/kit";
import { z } from "zod";

/** The cookie that opens one nest, set under that nest's own host name. */
export const PASS_COOKIE = "nest_pass";
/** How long a browser may take from the hub to the nest. */
const TICKET_MS = 60_000;

/** Whose a pass is; `sid`: the hub's session with which it ends. */
export interface Holder {
  readonly login: string;
  readonly accountId: number | undefined;
  readonly sid: string | undefined;
}

const Signed = z.object({
  u: z.string(),
  a: z.number().optional(),
  s: z.string().optional(),
  nest: z.string(),
  exp: z.number(),
  nonce: z.string().optional(),
});

export interface NestPassDeps {
  readonly master: Uint8Array;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Passes for one nest. A hosted nest has a host name of its own and belongs to other people, so a browser never takes the hub's
 * session there: the hub sends it with a ticket that holds for a minute, and the nest's ingress gives it a cookie for it that
 * opens that nest and nothing else.
 */
export class NestPasses {
  readonly #tickets: Signer;
  readonly #passes: Signer;
  readonly #deps: NestPassDeps;

  constructor(deps: NestPassDeps) {
    this.#deps = deps;
    this.#tickets = new Signer(deps.master, "nest-hub ticket to a nest v1");
    this.#passes = new Signer(deps.master, "nest-hub pass for a nest v1");
  }

  /** A ticket that a browser carries to the nest in its address. */
  ticket(holder: Holder, nest: string): string {
    const { clock, random } = this.#deps;
    return this.#tickets.sign({ ...signed(holder, nest), exp: clock.now() + TICKET_MS, nonce: random.hex(16) });
  }

  /** Whose a ticket to this nest is, and its name, by which it is good once; undefined for anything else. */
  openTicket(text: string, nest: string): { readonly holder: Holder; readonly nonce: string } | undefined {
    const open = this.#open(this.#tickets, text, nest);
    return open?.nonce === undefined ? undefined : { holder: holderOf(open), nonce: open.nonce };
  }

  /** The value of the cookie that opens this nest. */
  pass(holder: Holder, nest: string): string {
    return this.#passes.sign({ ...signed(holder, nest), exp: this.#deps.clock.now() + SESSION_MS });
  }

  /** Whose a pass for this nest is; undefined for anything else. */
  openPass(text: string | undefined, nest: string): Holder | undefined {
    const open = text === undefined ? undefined : this.#open(this.#passes, text, nest);
    return open === undefined ? undefined : holderOf(open);
  }

  #open(signer: Signer, text: string, nest: string): z.infer<typeof Signed> | undefined {
    const open = Signed.safeParse(signer.open(text));
    return open.success && open.data.nest === nest && this.#deps.clock.now() < open.data.exp ? open.data : undefined;
  }
}

function signed({ login, accountId, sid }: Holder, nest: string) {
  return {
    u: login,
    ...(accountId === undefined ? {} : { a: accountId }),
    ...(sid === undefined ? {} : { s: sid }),
    nest,
  };
}

function holderOf({ u, a, s }: z.infer<typeof Signed>): Holder {
  return { login: u, accountId: a, sid: s };
}
