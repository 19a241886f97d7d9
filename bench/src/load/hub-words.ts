/** What the load client understands of a hub's message; the rest it ignores. */
export type HubWord =
  | { readonly type: "auth_challenge" | "auth_ok" | "task_ack" | "pong" | "other" }
  | { readonly type: "auth_failed" | "task_unavailable" | "task_revoke"; readonly reason: string }
  | { readonly type: "task_assign"; readonly taskId: string; readonly gen: string; readonly issue: string };

const BEGIN = '{"type":"';

/**
 * Reads a hub's message without parsing all of it: the client shares the machine with the hub, so it must cost little. A
 * message whose type does not come first is parsed.
 */
export function readHubWord(text: string): HubWord {
  const type = text.startsWith(BEGIN) ? text.slice(BEGIN.length, text.indexOf('"', BEGIN.length)) : typeOf(text);
  switch (type) {
    case "auth_challenge":
    case "auth_ok":
    case "task_ack":
    case "pong":
      return { type };
    case "auth_failed":
    case "task_unavailable":
    case "task_revoke":
      return { type, reason: quoted(text, "reason") ?? "" };
    case "task_assign":
      return {
        type,
        taskId: quoted(text, "task_id") ?? "",
        gen: bare(text, "task_gen"),
        issue: `${quoted(text, "repo") ?? ""}#${bare(text, "number")}`,
      };
    default:
      return { type: "other" };
  }
}

function typeOf(text: string): string {
  return String((JSON.parse(text) as { type?: unknown }).type);
}

function quoted(text: string, name: string): string | undefined {
  const mark = `"${name}":"`;
  const at = text.indexOf(mark);
  return at === -1 ? undefined : text.slice(at + mark.length, text.indexOf('"', at + mark.length));
}

function bare(text: string, name: string): string {
  const mark = `"${name}":`;
  const start = text.indexOf(mark) + mark.length;
  let end = start;
  while (text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end += 1;
  return text.slice(start, end);
}
