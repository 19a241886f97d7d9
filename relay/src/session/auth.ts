import { createHash, createHmac } from "node:crypto";
import { type DeclaredFacts, PROTOCOL_VERSION, type RelayMessage } from "@nest/protocol";
import type { HubEntry } from "../settings/config.ts";

/** The protocol extensions that this relay understands, by name (docs/protocol.md). */
export const RELAY_CAPABILITIES = ["task_ack", "task_declined", "task_push", "withheld_counts", "limits_left"] as const;

/** What the relay tells every hub about itself. */
export interface Introduction {
  readonly backend: string;
  readonly model: string | undefined;
  readonly effort: string | undefined;
  readonly role: string | undefined;
  readonly facts: DeclaredFacts;
  /** Tells this relay from others of the same contributor. */
  readonly session: string;
  /** Why this relay takes no work now; undefined when it does. */
  readonly trouble?: string | undefined;
}

export interface Challenge {
  readonly nonce: string;
  readonly server_capabilities?: readonly string[] | undefined;
}

/** The proof of a token: hex HMAC-SHA-256 over the nonce, with the token's SHA-256 in ASCII hex as the key (docs/protocol.md). */
export function authProof(token: string, nonce: string): string {
  const key = createHash("sha256").update(token).digest("hex");
  return createHmac("sha256", key).update(nonce).digest("hex");
}

/** Whether the answer to this challenge can be a proof instead of the token. */
export function canProve(challenge: Challenge, hub: HubEntry): boolean {
  return hub.contributorId !== undefined && challenge.server_capabilities?.includes("auth_proof") === true;
}

/** The answer to a hub's challenge: a proof where the hub takes one and the identity is known, else the token itself. */
export function authResponse(
  challenge: Challenge,
  hub: HubEntry,
  introduction: Introduction,
  prove: boolean,
): RelayMessage {
  const identity =
    prove && canProve(challenge, hub)
      ? { contributor_id: hub.contributorId, auth_proof: authProof(hub.token, challenge.nonce) }
      : { registration_token: hub.token };
  const { backend, model, effort, role, facts, session, trouble } = introduction;
  return {
    type: "auth_response",
    ...identity,
    cli_backend: backend,
    model: model ?? "",
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(role === undefined ? {} : { role }),
    session,
    protocol_version: PROTOCOL_VERSION,
    relay_protocol_version: PROTOCOL_VERSION,
    capabilities: {
      ...facts,
      relay_capabilities: [...RELAY_CAPABILITIES],
      ...(trouble === undefined ? {} : { trouble }),
    },
  };
}
