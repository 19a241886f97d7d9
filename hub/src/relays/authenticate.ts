import { createHmac, timingSafeEqual } from "node:crypto";
import { tokenDigest } from "@nest/auth";
import { type Contributor, identityOf, type Ledger } from "@nest/dispatch";
import { type AuthRefusalReason, type AuthResponse, cleanDeclared, cleanFacts, compareVersions } from "@nest/protocol";
import type { ModelPolicy } from "../queue-settings/model-policy.ts";
import type { Declared } from "./session.ts";

/** A relay that has authenticated. */
export interface Accepted {
  readonly kind: "accepted";
  readonly contributor: Contributor;
  readonly identity: string;
  readonly declared: Declared;
  readonly additions: ReadonlySet<string>;
}

export type Authentication =
  | Accepted
  | { readonly kind: "refused"; readonly reason: AuthRefusalReason; readonly acceptedModels?: readonly string[] }
  /** The model policy has not judged this model yet; ask it, then authenticate again. */
  | { readonly kind: "unjudged"; readonly model: string };

/**
 * Identifies a relay by its registration token, or by a proof of the token over the challenge's nonce. Facts that the relay
 * declares about itself have no influence.
 */
export function authenticate(
  response: AuthResponse,
  nonce: string,
  ledger: Ledger,
  models: ModelPolicy,
): Authentication {
  const contributor = whose(response, nonce, ledger);
  if (contributor === "missing") return { kind: "refused", reason: "missing token" };
  if (contributor === undefined) return { kind: "refused", reason: "invalid token" };
  if (contributor.tier === "revoked") return { kind: "refused", reason: "access revoked" };
  // The list of accepted models is compared with the cleaned name, which is also the name that people see.
  const model = cleanDeclared(response.model) ?? "";
  const isAccepted = models.verdict(model);
  if (isAccepted === undefined) return { kind: "unjudged", model };
  if (!isAccepted) {
    const acceptedModels = models.sources;
    const words = model === "" ? "no model declared; this hub requires one" : "model not accepted";
    return { kind: "refused", reason: `${words}; accepted: ${acceptedModels.join(", ")}`, acceptedModels };
  }
  const declared = declaredOf(response);
  const identity = identityOf(contributor.id, declared.session);
  return {
    kind: "accepted",
    contributor,
    identity,
    declared,
    additions: new Set(response.capabilities?.relay_capabilities ?? []),
  };
}

function whose(response: AuthResponse, nonce: string, ledger: Ledger): Contributor | "missing" | undefined {
  const { registration_token: token, auth_proof: proof, contributor_id: id } = response;
  if (token !== undefined && token !== "") return ledger.contributorByDigest(tokenDigest(token));
  if (proof === undefined || id === undefined) return "missing";
  const contributor = ledger.contributor(id);
  if (contributor === undefined || contributor.tokenDigest === "") return undefined;
  const expected = Buffer.from(createHmac("sha256", contributor.tokenDigest).update(nonce).digest("hex"));
  const given = Buffer.from(proof.toLowerCase());
  return given.length === expected.length && timingSafeEqual(given, expected) ? contributor : undefined;
}

/** A relay may send its version in three fields; the first that is present counts. */
function declaredOf(response: AuthResponse): Declared {
  const facts = cleanFacts(response.capabilities);
  const version = response.relay_protocol_version ?? response.protocol_version ?? facts.relay_protocol_version;
  return {
    backend: cleanDeclared(response.cli_backend),
    model: cleanDeclared(response.model),
    role: cleanDeclared(response.role),
    session: cleanDeclared(response.session),
    version: cleanDeclared(version),
    verdict: compareVersions(version),
    facts,
  };
}
