import { createPublicKey, verify } from "node:crypto";
import { ApiRefusal } from "./api-call.ts";
import { type AppRecord, fullName, type RepositoryRecord, type Store, type TokenRecord } from "./state.ts";

/** Who calls. */
export type Caller =
  | { readonly kind: "nobody" }
  | { readonly kind: "user"; readonly login: string; readonly token: string; readonly record: TokenRecord }
  | { readonly kind: "app"; readonly app: AppRecord };

/** The platform's own leeway for clocks that differ. */
const CLOCK_LEEWAY_S = 60;
const LONGEST_PROOF_S = 600;

/** Reads an Authorization header (`token`, `Bearer`, or Basic with the token as password). @throws 401 for one that is wrong */
export function identify(store: Store, authorization: string | undefined): Caller {
  if (authorization === undefined) return { kind: "nobody" };
  const [scheme = "", value = ""] = authorization.split(/\s+/, 2);
  const token = scheme.toLowerCase() === "basic" ? passwordOf(value) : value;
  if (token.split(".").length === 3) return { kind: "app", app: provenApp(store, token) };
  const record = Object.hasOwn(store.state.tokens, token) ? store.state.tokens[token] : undefined;
  if (record === undefined || (record.expiresAt !== undefined && record.expiresAt <= store.clock.now()))
    throw new ApiRefusal(401, "Bad credentials");
  return { kind: "user", login: record.login, token, record };
}

function passwordOf(basic: string): string {
  const pair = Buffer.from(basic, "base64").toString();
  return pair.slice(pair.indexOf(":") + 1);
}

function provenApp(store: Store, proof: string): AppRecord {
  const [head = "", payload = "", signature = ""] = proof.split(".");
  let claims: { iss?: unknown; iat?: unknown; exp?: unknown };
  try {
    claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  } catch {
    throw new ApiRefusal(401, "A JSON web token could not be decoded");
  }
  const app = store.state.apps.find((known) => String(known.id) === String(claims.iss));
  if (app === undefined) throw new ApiRefusal(401, "A JSON web token could not be decoded");
  const signed = verify(
    "RSA-SHA256",
    Buffer.from(`${head}.${payload}`),
    createPublicKey(app.publicKey),
    Buffer.from(signature, "base64url"),
  );
  const nowS = store.clock.now() / 1000;
  const { iat, exp } = claims;
  const timely =
    typeof iat === "number" &&
    typeof exp === "number" &&
    iat <= nowS + CLOCK_LEEWAY_S &&
    exp > nowS - CLOCK_LEEWAY_S &&
    exp - iat <= LONGEST_PROOF_S + CLOCK_LEEWAY_S;
  if (!signed || !timely) throw new ApiRefusal(401, "A JSON web token could not be decoded");
  return app;
}

/** The login of a caller that has one. @throws 401 */
export function loginOf(caller: Caller): string {
  if (caller.kind === "user") return caller.login;
  throw new ApiRefusal(401, "Requires authentication");
}

/** Whether the caller may know that the repository exists. */
export function maySee(caller: Caller, repo: RepositoryRecord): boolean {
  const only = caller.kind === "user" ? caller.record.installation?.repositories : undefined;
  if (only !== undefined) return !repo.private || only.includes(fullName(repo));
  if (!repo.private) return true;
  if (caller.kind !== "user") return false;
  return caller.record.installation !== undefined || mayWrite(caller, repo, "contents");
}

/** Whether the caller may change things of this kind (`issues`, `pull_requests`, `contents`, `checks`, `statuses`). */
export function mayWrite(caller: Caller, repo: RepositoryRecord, ...anyOf: string[]): boolean {
  if (caller.kind !== "user") return false;
  const { installation } = caller.record;
  if (installation === undefined) return repo.writers?.includes(caller.login) ?? true;
  if (installation.repositories?.includes(fullName(repo)) === false) return false;
  return anyOf.some((permission) => installation.permissions[permission] === "write");
}

/** @throws 401 for nobody, 403 for somebody who may not. */
export function demandWrite(caller: Caller, repo: RepositoryRecord, ...anyOf: string[]): string {
  const login = loginOf(caller);
  if (mayWrite(caller, repo, ...anyOf)) return login;
  const app = caller.kind === "user" && caller.record.installation !== undefined;
  throw new ApiRefusal(
    403,
    app ? "Resource not accessible by integration" : "Must have write access to the repository",
  );
}
