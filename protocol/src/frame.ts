import { HubMessage } from "./hub-to-relay.ts";
import { RelayMessage } from "./relay-to-hub.ts";

/** The result of reading a frame: a message, a message of an unknown type (to be ignored), or a malformed frame. */
export type Frame<Message> =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "unknown"; readonly type: string }
  | {
      readonly kind: "malformed";
      readonly because: string;
      /** The message type that the frame claims. */
      readonly type?: string;
      /** The task that the frame names, where that much could be read. */
      readonly taskId?: string;
    };

const relayTypes = new Set<string>(RelayMessage.options.map((option) => option.shape.type.value));
const hubTypes = new Set<string>(HubMessage.options.map((option) => option.shape.type.value));

/** Reads a text frame that a relay sent. Never throws. */
export function readRelayFrame(text: string): Frame<RelayMessage> {
  return readFrame(text, relayTypes, RelayMessage);
}

/** Reads a text frame that a hub sent. Never throws. */
export function readHubFrame(text: string): Frame<HubMessage> {
  return readFrame(text, hubTypes, HubMessage);
}

interface Reader<Message> {
  safeParse(
    value: unknown,
  ):
    | { success: true; data: Message }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
}

function readFrame<Message>(text: string, types: ReadonlySet<string>, reader: Reader<Message>): Frame<Message> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "malformed", because: "not JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { kind: "malformed", because: "not an object" };
  const type = (value as { type?: unknown }).type;
  if (typeof type !== "string") return { kind: "malformed", because: "type: missing" };
  if (!types.has(type)) return { kind: "unknown", type: type.slice(0, 64) };
  const read = reader.safeParse(value);
  if (read.success) return { kind: "message", message: read.data };
  const [issue] = read.error.issues;
  const taskId = taskIdIn(value);
  return {
    kind: "malformed",
    because: `${type}.${issue?.path.map(String).join(".") ?? ""}: not valid`,
    type,
    ...(taskId === undefined ? {} : { taskId }),
  };
}

/** The task id of a malformed frame, if it is one that an answer can repeat. */
function taskIdIn(value: object): string | undefined {
  const { task_id: id } = value as { task_id?: unknown };
  return typeof id === "string" && id.length >= 1 && id.length <= 256 ? id : undefined;
}
