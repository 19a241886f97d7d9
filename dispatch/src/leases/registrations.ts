import { note } from "./bookkeeping.ts";
import type { Effect } from "./commands.ts";
import { type Contributor, newContributor } from "./contributor.ts";
import type { DeciderDeps, Of } from "./decider-deps.ts";

// Contributors' identities. A login can pass to another person; an account's number cannot.

/**
 * Registers a contributor. If the login's record belongs to another account, only the login passes to the new contributor.
 */
export function register(deps: DeciderDeps, command: Of<"register">, now: number): Effect[] {
  const { ledger } = deps;
  const { contributorId, login, accountId, tokenDigest } = command;
  const named = ledger.contributorByLogin(login);
  const isKnown = accountId !== undefined && ledger.contributorByAccount(accountId) !== undefined;
  const isTheirs = named !== undefined && (accountId === undefined || named.accountId === undefined);
  if (isKnown || isTheirs) return [{ kind: "refused", code: "taken", because: `${login} is registered already` }];
  if (named !== undefined) setAside(deps, named, now);
  ledger.putContributor(newContributor({ id: contributorId, login, accountId, tokenDigest }, now));
  note(deps, contributorId, { action: "registered" }, now);
  return [{ kind: "done", released: [] }];
}

/**
 * An account has proven its login: its record gets that login. An account without a record gets the login's record, unless
 * another account proved to own it before.
 */
export function proven(deps: DeciderDeps, command: Of<"proven">, now: number): Effect[] {
  const { ledger } = deps;
  const { login, accountId } = command;
  const named = ledger.contributorByLogin(login);
  const own = ledger.contributorByAccount(accountId) ?? (named?.accountId === undefined ? named : undefined);
  if (named !== undefined && named.id !== own?.id) setAside(deps, named, now);
  if (own === undefined || (own.accountId === accountId && own.login === login))
    return [{ kind: "done", released: [] }];
  ledger.putContributor({ ...own, login, accountId });
  if (own.login.toLowerCase() !== login.toLowerCase()) audited(deps, "renamed", own.login, login, now);
  return [{ kind: "done", released: [] }];
}

/**
 * Another account has this login now: its previous owner keeps the record under a placeholder name. No code host allows `~`
 * in a login.
 */
function setAside(deps: DeciderDeps, one: Contributor, now: number): void {
  const login = `${one.login}~${one.accountId ?? one.id}`;
  deps.ledger.putContributor({ ...one, login });
  audited(deps, "login given up", one.login, login, now);
}

function audited(
  { ledger }: DeciderDeps,
  action: "renamed" | "login given up",
  before: string,
  after: string,
  now: number,
): void {
  ledger.audit({ at: now, actor: "code-host", action, subject: after, before, after });
}
