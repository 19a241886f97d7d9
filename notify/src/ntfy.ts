import { cutBytes } from "@nest/kit";
import type { HubAlertKind, NotificationEvent } from "@nest/protocol";
import type { Deliver } from "./delivery.ts";
import { post } from "./post.ts";

/** Of a longer body ntfy makes a file that people have to open. */
const BODY_BYTES = 3500;

const tags: Readonly<Record<NotificationEvent | HubAlertKind | "digest" | "test", string>> = {
  code_host_failing: "warning",
  queue_empty: "zzz",
  queue_stuck: "hourglass",
  failure_rate: "x",
  backup_old: "floppy_disk",
  hub_restored: "rewind",
  replica_lost: "boom",
  credential_ending: "key",
  run_failed: "x",
  run_shipped: "white_check_mark",
  agent_paused: "pause_button",
  repository_unreadable: "warning",
  hub_refuses: "warning",
  backup: "floppy_disk",
  nest_started: "seedling",
  digest: "card_index_dividers",
  test: "wave",
};

/** Posts to a topic of ntfy. The secret, where there is one, is its access token. */
export const deliverToNtfy: Deliver<"ntfy"> = async ({ message }, { url, key }, deps) => {
  const { title, text, link, pull_request, event } = message;
  const lines = [text === "" ? title : text, ...(pull_request === undefined ? [] : [pull_request])];
  const headers: Record<string, string> = {
    "content-type": "text/plain; charset=utf-8",
    "user-agent": "nest",
    title: headerText(title),
    tags: Object.hasOwn(tags, event) ? tags[event as keyof typeof tags] : "bell",
    ...(link === undefined ? {} : { click: new URL(link).href }),
    ...(key === undefined ? {} : { authorization: `Bearer ${key.reveal()}` }),
  };
  return post(url, { headers, body: cutBytes(lines.join("\n"), BODY_BYTES) }, deps);
};

/** A text as a header's value (RFC 2047, which ntfy reads): whatever is not plain ASCII is encoded, line ends included. Pure. */
export function headerText(text: string): string {
  // What looks encoded already would be decoded by the receiver.
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("=?")) return text.trim();
  return `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;
}
