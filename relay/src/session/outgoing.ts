import { cutBytes } from "@nest/kit";
import { MAX_FRAME_BYTES, type RelayMessage } from "@nest/protocol";

/** Bytes kept free below the hub's limit: a proxy or an older hub may count more than we do. */
const HEADROOM_BYTES = 4 * 1024;
const SMALLEST_BUDGET = 4 * 1024;
/** Fields that may be shortened to make a frame fit, in this order. */
const SHORTENED = ["tmux_output", "summary", "title", "reason", "verdict_reason", "message"];
/** Fields that are sent as they are: the credential of the handshake, and names the hub compares. */
const VERBATIM = new Set([
  ...["type", "registration_token", "auth_proof", "task_id", "repo", "contributor_id", "session", "pr_url"],
  ...["kind", "status", "result", "verdict", "failure_kind", "protocol_version", "relay_protocol_version"],
]);
/** Fields with words of an agent, for people. */
const PROSE = new Set(SHORTENED);

export interface Redaction {
  redact(text: string): string;
  /** Removes the contributor's own secrets only. */
  redactOwn(text: string): string;
}

export interface OutgoingDeps {
  readonly redaction: Redaction;
  /** The hub's `max_message_bytes`, where it said one. */
  readonly hubLimit?: number | undefined;
}

/** A message as the text of one frame: numbered, without known secrets, small enough for the hub. Pure. */
export function frameText(message: RelayMessage, seq: number, deps: OutgoingDeps): string {
  const clean = { ...withoutSecrets(message, deps.redaction), seq };
  const limit = Math.min(deps.hubLimit ?? MAX_FRAME_BYTES, MAX_FRAME_BYTES) - HEADROOM_BYTES;
  return fitted(clean, Math.max(SMALLEST_BUDGET, limit));
}

/**
 * The message without known secrets; each text is cleaned by itself, never the JSON. Credentials that hubs gave are removed
 * from prose alone: a hub that hands out a word as its credential must not change a field that another hub decides by. Pure.
 */
export function withoutSecrets<Message extends RelayMessage>(message: Message, redaction: Redaction): Message {
  const everything = (text: string) => redaction.redact(text);
  const own = (text: string) => redaction.redactOwn(text);
  const clean = Object.entries(message).map(([name, value]) => {
    if (VERBATIM.has(name)) return [name, value];
    // A secret may go over the end of a line: the lines are cleaned together.
    if (name === "tmux_output" && isLines(value)) return [name, everything(value.join("\n")).split("\n")];
    return [name, redactDeep(value, PROSE.has(name) ? everything : own)];
  });
  return Object.fromEntries(clean) as Message;
}

function isLines(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0;
}

function redactDeep(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactDeep(item, redact)]));
}

function fitted(message: Record<string, unknown>, limit: number): string {
  let text = JSON.stringify(message);
  for (const name of SHORTENED) {
    const value = message[name];
    if (Array.isArray(value)) text = withFewerLines(message, name, value, limit);
    if (typeof value !== "string") continue;
    // A character may take up to six bytes as JSON: halve the text until it fits instead of computing its size.
    for (
      let keep = Buffer.byteLength(value);
      Buffer.byteLength(text) > limit && keep > 8;
      keep = Math.floor(keep / 2)
    ) {
      message[name] = cutBytes(value, Math.floor(keep / 2));
      text = JSON.stringify(message);
    }
  }
  return text;
}

/** Leaves out a terminal's earliest lines until the frame fits: its end says most. */
function withFewerLines(
  message: Record<string, unknown>,
  name: string,
  lines: readonly unknown[],
  limit: number,
): string {
  let text = JSON.stringify(message);
  for (let keep = lines.length; Buffer.byteLength(text) > limit && keep > 0; ) {
    keep = Math.floor(keep / 2);
    message[name] = keep === 0 ? [] : lines.slice(-keep);
    text = JSON.stringify(message);
  }
  return text;
}
