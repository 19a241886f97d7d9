import type { Contributor } from "@nest/dispatch";
import { MAX_FRAME_BYTES, type OwnLimitsLeft, PROTOCOL_VERSION, permissionsOf } from "@nest/protocol";
import type { Session } from "./session.ts";

export interface WelcomeDeps {
  readonly capabilities: string[];
  /** The delegated role in which the relay works, given the role it requested. */
  readonly role: string | undefined;
  readonly limits: OwnLimitsLeft | undefined;
  /** The operators' message to every relay; empty = none. */
  readonly announcement: string;
}

/** Sends a relay that has authenticated what it needs to know from the start. */
export function welcome(session: Session, contributor: Contributor, deps: WelcomeDeps): void {
  const { capabilities, role, limits, announcement } = deps;
  session.send({
    type: "auth_ok",
    contributor_id: contributor.id,
    trust_tier: contributor.tier,
    permissions: [...permissionsOf(contributor.tier)],
    protocol_version: PROTOCOL_VERSION,
    server_capabilities: capabilities,
    connection_id: session.connection,
    max_message_bytes: MAX_FRAME_BYTES,
    ...(role === undefined ? {} : { role }),
    ...(limits === undefined || !session.manners.knows("limits_left") ? {} : { limits }),
  });
  if (announcement !== "") session.send({ type: "notice", message: announcement });
  const asked = session.declared.role;
  if (asked === undefined || asked === role) return;
  const now = role === undefined ? "it works without one" : `it works as ${role}, which an owner set`;
  session.send({ type: "notice", message: `this relay asked for the role ${asked}; ${now}` });
}
