import { pullRequestLink, pullRequestUrl } from "@nest/codehost";
import { cutBytes, plainLine } from "@nest/kit";
import { linkTo, type Message } from "@nest/notify";
import { describeNestActivity, type NotificationEvent, type nestEvents, notificationEventOf } from "@nest/protocol";

export interface MessageDeps {
  /** Where people open the nest (`dashboard.public_url`, or the hub's), if that is known. */
  readonly address: string | undefined;
  /** The code host's web base. */
  readonly webBase: string;
  readonly redact: (text: string) => string;
}

const TITLE_BYTES = 150;
const TEXT_BYTES = 600;

/** The message for a line of the activity; undefined for a line that nobody is notified of. Pure. */
export function messageOf(
  line: nestEvents.NestActivity,
  { address, webBase, redact }: MessageDeps,
): Message<NotificationEvent> | undefined {
  const event = notificationEventOf(line.action);
  if (event === undefined) return undefined;
  const oneLine = (text: string, bytes: number) => cutBytes(plainLine(redact(text)), bytes);
  const { words } = describeNestActivity(line.action);
  const said = line.agent === undefined ? words.replace(/:$/, "") : `${line.agent} ${words}`;
  const issue = line.issue === undefined ? undefined : oneLine(line.issue, TITLE_BYTES);
  const detail = line.detail === undefined ? "" : oneLine(line.detail, TEXT_BYTES);
  const pull = line.url === undefined ? undefined : pullRequestLink(line.url, webBase);
  const page = line.run_id === undefined ? "/" : `/runs/${encodeURIComponent(line.run_id)}`;
  return {
    event,
    at: line.at,
    title: oneLine(said, TITLE_BYTES),
    text: [issue, detail].filter((part) => part !== undefined && part !== "").join(": "),
    link: linkTo(address, page),
    agent: line.agent === undefined ? undefined : oneLine(line.agent, TITLE_BYTES),
    issue,
    pull_request: pull && pullRequestUrl(pull, webBase),
  };
}
