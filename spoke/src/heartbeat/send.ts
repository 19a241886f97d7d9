import { sentenceOf } from "@nest/kit";
import { type Heartbeat, NEST_ID_HEADER } from "@nest/protocol";
import type { HubLink } from "../config/settings.ts";

/** What became of one heartbeat. */
export type Outcome =
  | { readonly kind: "accepted" }
  | { readonly kind: "rejected"; readonly status: number }
  | { readonly kind: "unreachable"; readonly because: string };

/** A hub that does not answer within this is as good as away; never scaled. */
const TIMEOUT_MS = 10_000;

/** Sends one heartbeat. Never throws: a hub that is away is an ordinary outcome. */
export async function sendHeartbeat(hub: HubLink, body: Heartbeat, signal: AbortSignal): Promise<Outcome> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  headers[NEST_ID_HEADER] = body.nest_id;
  if (hub.secret !== undefined) headers.authorization = `Bearer ${hub.secret.reveal()}`;
  try {
    const response = await fetch(`${hub.base}/api/heartbeat`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      // The secret goes to the configured hub and nowhere else.
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return response.ok ? { kind: "accepted" } : { kind: "rejected", status: response.status };
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    return { kind: "unreachable", because: sentenceOf(cause instanceof Error ? cause : thrown) };
  }
}
