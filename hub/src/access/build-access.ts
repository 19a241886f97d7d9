import { Sessions, Signer, SignIn, type Throttle } from "@nest/auth";
import type { CodeHost } from "@nest/codehost";
import type { CommandBatcher, Ledger } from "@nest/dispatch";
import type { Clock, Random, Secret } from "@nest/kit";
import { ApiTokens } from "./api-tokens.ts";
import { Identity } from "./identity.ts";
import { LedgerOnce } from "./ledger-once.ts";
import { type GivenKeys, type KeyOfAll, sharedKeys } from "./shared-keys.ts";
import { sharedUsers } from "./shared-users.ts";
import { UserStore } from "./users.ts";

/** Sessions of the hub's own cookies (spec: HTTP). */
export const cookieNames = { session: "nest_hub_session", user: "nest_hub_user" } as const;

/** What an operator set about who may come in. */
export interface AccessSettings extends GivenKeys {
  readonly adminToken: Secret | undefined;
  /** Logins with the hub admin role. */
  readonly admins: readonly string[];
  /** `nest_hub_user` alone authenticates. */
  readonly plainUserCookie: boolean;
  /** Sign-in by the code host; the secret only where browsers are sent there and back. */
  readonly oauth: { readonly clientId: string; readonly clientSecret: Secret | undefined } | undefined;
  readonly webUrl: string;
}

export interface AccessDeps {
  readonly settings: AccessSettings;
  readonly keyOfAll: KeyOfAll;
  readonly codeHost: CodeHost;
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  /** Whether replicas may share this hub's state. */
  readonly isShared: boolean;
  /** Addresses that keep sending identities which are none. */
  readonly wrongTokens: Throttle;
  /** Told of a heartbeat that was refused, with the nest that it named. */
  readonly onSpokeRefused: (nestId: string) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** The parts that say who is at the door. */
export interface HubAccess {
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly identity: Identity;
  readonly users: UserStore;
  readonly apiTokens: ApiTokens;
  /** What the hub signs with. */
  readonly master: Buffer;
  readonly hubSecret: Secret;
}

/** Who asks, how they sign in, and how long that holds: wired to each other. @throws NestError `bad_key_file` */
export async function buildAccess({
  settings,
  keyOfAll,
  codeHost,
  ledger,
  batcher,
  isShared,
  wrongTokens,
  onSpokeRefused,
  clock,
  random,
}: AccessDeps): Promise<HubAccess> {
  const { master, hubSecret } = await sharedKeys(settings, keyOfAll);
  const { plainUserCookie, oauth, adminToken, admins, webUrl } = settings;
  const users = new UserStore(settings.dataDir, clock, isShared ? sharedUsers(ledger, batcher) : undefined);
  const sessions = new Sessions({
    signer: new Signer(master, "nest-hub session v1"),
    cookies: cookieNames,
    users,
    clock,
    random,
    plainUserCookie,
  });
  const signIn = new SignIn({
    words: {
      what: "hub",
      hint: "the operator sets github.oauth_client_id, or NEST_HUB_OAUTH_CLIENT_ID and its secret",
    },
    codeHost,
    oauth,
    webUrl,
    signer: new Signer(master, "nest-hub sign-in v1"),
    once: new LedgerOnce({ ledger, batcher, clock, prefix: "sign-in:", actor: "hub" }),
    clock,
    random,
  });
  const apiTokens = new ApiTokens({ ledger, batcher, clock, random });
  const identity = new Identity({
    apiTokens,
    users,
    adminToken,
    admins,
    hubSecret,
    plainUserCookie,
    sessions,
    ledger,
    wrongTokens,
    onSpokeRefused,
  });
  return { sessions, signIn, identity, users, apiTokens, master, hubSecret };
}
