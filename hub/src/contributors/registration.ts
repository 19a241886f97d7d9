import type { CodeHost } from "@nest/codehost";
import { NestError, type Random, Secret } from "@nest/kit";
import type { LeaseBook } from "../leases/lease-book.ts";
import type { Ledger } from "../leases/ledger.ts";
import { tokenDigest } from "../relays/authenticate.ts";

export interface RegistrationParts {
  readonly codeHost: CodeHost;
  readonly ledger: Ledger;
  readonly book: LeaseBook;
  readonly random: Random;
  /** Whether a login needs no proof (demo, tests). */
  readonly openRegistration: () => boolean;
}

/** What can prove a login: a code-host token, or the cookies of a sign-in here. */
export interface Proof {
  readonly bearer: string | undefined;
  readonly signedIn: string | undefined;
  /** Whether a hub admin asks, who may register anybody. */
  readonly isVouchedFor: boolean;
}

export interface Registered {
  readonly contributor_id: string;
  readonly registration_token?: string;
  readonly message: string;
}

const PROOF_HINT =
  "sign in at /login, or send Authorization: Bearer with a code-host token of this login; the hub uses it once and keeps nothing of it";

/**
 * Registers a login as contributor. The registration token is in the answer once and nowhere else; of a login that is known
 * already only the id comes back. Durable before it is answered.
 *
 * @throws NestError `login_not_proven`, `access_revoked`.
 */
export async function registerContributor(login: string, proof: Proof, parts: RegistrationParts): Promise<Registered> {
  const { ledger, book, random, openRegistration } = parts;
  if (!openRegistration() && !proof.isVouchedFor) await proveLogin(login, proof, parts);
  const known = ledger.contributorByLogin(login);
  if (known !== undefined) return alreadyKnown(known.id, known.tier === "revoked");
  const contributorId = `c-${random.hex(6)}`;
  const token = random.hex(32);
  const effects = await book.ask({ kind: "register", contributorId, login, tokenDigest: tokenDigest(token) });
  if (effects.some(({ kind }) => kind === "refused"))
    return alreadyKnown(ledger.contributorByLogin(login)?.id ?? "", false);
  return {
    contributor_id: contributorId,
    registration_token: token,
    message: "registered; the token is shown this once, keep it where only your relay can read it",
  };
}

/**
 * A new registration token for a known contributor; the old one and its live sockets end.
 *
 * @throws NestError `login_not_proven`, `not_found`, `access_revoked`.
 */
export async function reissueToken(proof: Proof, parts: RegistrationParts): Promise<Registered> {
  const { ledger, book, random } = parts;
  const login = await whoProves(proof, parts);
  const known = ledger.contributorByLogin(login);
  if (known === undefined)
    throw new NestError("not_found", `${login} is not registered here`, { hint: "register first" });
  if (known.tier === "revoked") throw revoked();
  const token = random.hex(32);
  await book.ask({ kind: "reissue", contributorId: known.id, tokenDigest: tokenDigest(token) });
  return { contributor_id: known.id, registration_token: token, message: "the old token no longer works" };
}

async function proveLogin(login: string, proof: Proof, parts: RegistrationParts): Promise<void> {
  const proven = await whoProves(proof, parts);
  if (proven.toLowerCase() !== login.toLowerCase()) {
    throw new NestError("login_not_proven", `the token sent belongs to another login than ${login}`, {
      hint: PROOF_HINT,
    });
  }
}

async function whoProves(proof: Proof, { codeHost }: RegistrationParts): Promise<string> {
  if (proof.bearer === undefined && proof.signedIn !== undefined) return proof.signedIn;
  if (proof.bearer === undefined)
    throw new NestError("login_not_proven", "this hub wants proof of the login", { hint: PROOF_HINT });
  const who = await codeHost.whoIs(new Secret(proof.bearer));
  if (who === undefined)
    throw new NestError("login_not_proven", "the code host does not know the token sent", { hint: PROOF_HINT });
  return who.login;
}

function alreadyKnown(contributorId: string, isRevoked: boolean): Registered {
  if (isRevoked) throw revoked();
  return {
    contributor_id: contributorId,
    message:
      "this login is registered already; its token is not shown again: use /api/contribute/reissue-token with proof of the login",
  };
}

function revoked(): NestError {
  return new NestError("access_revoked", "contribution access of this login was revoked");
}
