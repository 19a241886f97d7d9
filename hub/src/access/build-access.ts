import type { CodeHost } from "@nest/codehost";
import type { CommandBatcher, Ledger } from "@nest/dispatch";
import type { Clock, Random } from "@nest/kit";
import type { HubConfig } from "../config.ts";
import { Identity } from "./identity.ts";
import { Once } from "./once.ts";
import { Sessions } from "./sessions.ts";
import { type KeyOfAll, sharedKeys } from "./shared-keys.ts";
import { sharedUsers } from "./shared-users.ts";
import { SignIn } from "./sign-in.ts";
import { Signer } from "./signer.ts";
import type { Throttle } from "./throttle.ts";
import { UserStore } from "./users.ts";

export interface AccessDeps {
  readonly config: HubConfig;
  readonly keyOfAll: KeyOfAll;
  readonly codeHost: CodeHost;
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  /** Whether replicas may share this hub's state. */
  readonly isShared: boolean;
  /** Addresses that keep sending identities which are none. */
  readonly guesses: Throttle;
  readonly clock: Clock;
  readonly random: Random;
}

/** Who asks, how they sign in, and how long that holds: wired to each other. @throws NestError `bad_key_file` */
export async function buildAccess({
  config,
  keyOfAll,
  codeHost,
  ledger,
  batcher,
  isShared,
  guesses,
  clock,
  random,
}: AccessDeps): Promise<{ readonly sessions: Sessions; readonly signIn: SignIn; readonly identity: Identity }> {
  const { master, hubSecret } = await sharedKeys(config, keyOfAll);
  const { plainUserCookie, oauth, adminToken, admins, webUrl } = config;
  const users = new UserStore(config.dataDir, clock, isShared ? sharedUsers(ledger, batcher) : undefined);
  const sessions = new Sessions({ signer: new Signer(master, "session"), users, clock, random, plainUserCookie });
  const signIn = new SignIn({
    codeHost,
    oauth,
    webUrl,
    signer: new Signer(master, "sign-in"),
    once: new Once({ ledger, batcher, clock, prefix: "sign-in:", actor: "hub" }),
    clock,
    random,
  });
  const identity = new Identity({ adminToken, admins, hubSecret, plainUserCookie, sessions, ledger, guesses });
  return { sessions, signIn, identity };
}
