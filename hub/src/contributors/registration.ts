import { tokenDigest } from "@nest/auth";
import type { Account, CodeHost } from "@nest/codehost";
import type { CommandBatcher, Contributor, Ledger } from "@nest/dispatch";
import { NestError, type Random, Secret } from "@nest/kit";

export interface RegistrationDeps {
  readonly codeHost: CodeHost;
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly random: Random;
  /** Whether a login can be registered without proof (demo, tests). */
  readonly openRegistration: () => boolean;
}

/** Ways to prove a login: a code-host token, or the cookies of a sign-in at this hub. */
export interface Proof {
  readonly bearer: string | undefined;
  readonly signedIn: Account | undefined;
  /** Whether a hub admin asks; an admin may register any login. */
  readonly isVouchedFor: boolean;
}

export interface Registered {
  readonly contributor_id: string;
  readonly registration_token?: string;
  readonly message: string;
}

const PROOF_HINT =
  "sign in at /login, or send Authorization: Bearer with a code-host token of this login; the hub uses it once and does not store it";

/**
 * Registers a login as a contributor, and answers once that is durable. The registration token is only in this answer; a
 * contributor who is registered already gets only the id. With open registration nothing is proven: the record belongs to the
 * login until an account proves that login.
 *
 * @throws NestError `login_not_proven`, `access_revoked`.
 */
export async function registerContributor(login: string, proof: Proof, deps: RegistrationDeps): Promise<Registered> {
  const { ledger, batcher, random, openRegistration } = deps;
  const who = openRegistration() || proof.isVouchedFor ? undefined : await proveLogin(login, proof, deps);
  const known = who === undefined ? ledger.contributorByLogin(login) : await recordOf(who, proof, deps);
  if (known !== undefined) return alreadyKnown(known);
  const contributorId = `c-${random.hex(6)}`;
  const token = random.hex(32);
  const digest = tokenDigest(token);
  const effects = await batcher.ask({
    kind: "register",
    contributorId,
    login,
    accountId: who?.id,
    tokenDigest: digest,
  });
  if (effects.some(({ kind }) => kind === "refused")) return alreadyKnown(ownRecord(ledger, who ?? { login }));
  return {
    contributor_id: contributorId,
    registration_token: token,
    message: "registered; the token is shown this once, keep it where only your relay can read it",
  };
}

/**
 * Issues a new registration token to a contributor; the old token becomes invalid and its connections are closed.
 *
 * @throws NestError `login_not_proven`, `not_found`, `access_revoked`.
 */
export async function reissueToken(proof: Proof, deps: RegistrationDeps): Promise<Registered> {
  const { batcher, random } = deps;
  const who = await whoProves(proof, deps);
  const known = await recordOf(who, proof, deps);
  if (known === undefined)
    throw new NestError("not_found", `${who.login} is not registered here`, { hint: "register first" });
  if (known.tier === "revoked") throw revoked();
  const token = random.hex(32);
  await batcher.ask({ kind: "reissue", contributorId: known.id, tokenDigest: tokenDigest(token) });
  return { contributor_id: known.id, registration_token: token, message: "the old token no longer works" };
}

/**
 * The record of an account, found by its number. Without one it is found by login, but only if nobody has proven to own it:
 * whoever takes over a login that another account gave up must not get that account's record.
 */
export function ownRecord(ledger: Ledger, { login, id }: Account): Contributor | undefined {
  const own = id === undefined ? undefined : ledger.contributorByAccount(id);
  if (own !== undefined) return own;
  const named = ledger.contributorByLogin(login);
  return named?.accountId === undefined ? named : undefined;
}

/**
 * The record of an account that proved its identity. A token sent with this request also updates the record's account and
 * login. A sign-in some days ago does not, because the login may have changed hands since.
 */
async function recordOf(who: Account, proof: Proof, deps: RegistrationDeps): Promise<Contributor | undefined> {
  const { ledger, batcher } = deps;
  const { login, id } = who;
  const own = ownRecord(ledger, who);
  if (proof.bearer === undefined || id === undefined) {
    if (own === undefined && ledger.contributorByLogin(login) !== undefined) throw needsToken(login);
    return own;
  }
  if (own === undefined || (own.accountId === id && own.login === login)) return own;
  await batcher.ask({ kind: "proven", login, accountId: id });
  return ledger.contributorByAccount(id);
}

async function proveLogin(login: string, proof: Proof, deps: RegistrationDeps): Promise<Account> {
  const proven = await whoProves(proof, deps);
  if (proven.login.toLowerCase() === login.toLowerCase()) return proven;
  throw new NestError("login_not_proven", `the token sent belongs to another login than ${login}`, {
    hint: PROOF_HINT,
  });
}

async function whoProves(proof: Proof, { codeHost }: RegistrationDeps): Promise<Account> {
  if (proof.bearer === undefined && proof.signedIn !== undefined) return proof.signedIn;
  if (proof.bearer === undefined)
    throw new NestError("login_not_proven", "this hub wants proof of the login", { hint: PROOF_HINT });
  const who = await codeHost.whoIs(new Secret(proof.bearer));
  if (who === undefined)
    throw new NestError("login_not_proven", "the code host does not know the token sent", { hint: PROOF_HINT });
  return who;
}

/** The login's record belongs to another account, as far as this proof shows. */
function needsToken(login: string): NestError {
  return new NestError("login_not_proven", `it is not proven that this is the same ${login} who registered here`, {
    hint: "send Authorization: Bearer with a code-host token of this login, or sign in again",
  });
}

function alreadyKnown(known: Contributor | undefined): Registered {
  if (known?.tier === "revoked") throw revoked();
  return {
    contributor_id: known?.id ?? "",
    message:
      "this login is registered already; its token is not shown again: use /api/contribute/reissue-token with proof of the login",
  };
}

function revoked(): NestError {
  return new NestError("access_revoked", "contribution access of this login was revoked");
}
