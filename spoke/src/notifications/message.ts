import { pullRequestLink, pullRequestUrl } from "@nest/codehost";
import { cutBytes, plainLine } from "@nest/kit";
import { describeNestActivity, type NotificationEvent, type nestEvents, notificationEventOf } from "@nest/protocol";

/** What a channel is told. Every text is plain: one line each, cut, whoever wrote it. Each kind writes it so that it stays plain there. */
export interface Message {
  readonly event: NotificationEvent | "digest" | "test";
  readonly at: string;
  readonly title: string;
  readonly text: string;
  /** Where the nest shows more; its own address. */
  readonly link?: string | undefined;
  readonly agent?: string | undefined;
  /** `owner/name#number`. */
  readonly issue?: string | undefined;
  /** A pull request of the code host and of no other. */
  readonly pull_request?: string | undefined;
}

export interface MessageDeps {
  /** Where people open the nest (`dashboard.public_url`, or the hub's), if that is known. */
  readonly address: string | undefined;
  /** The code host's web base. */
  readonly webBase: string;
  readonly redact: (text: string) => string;
}

const TITLE_BYTES = 150;
const TEXT_BYTES = 600;
/** So many messages are named in a digest. */
const DIGEST_LINES = 20;

/** The message for a line of the activity; undefined for a line that nobody is notified of. Pure. */
export function messageOf(
  line: nestEvents.NestActivity,
  { address, webBase, redact }: MessageDeps,
): Message | undefined {
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

/** One message for many that waited. `leftOut`: how many more there were than were kept. Pure. */
export function digestOf(
  messages: readonly Message[],
  leftOut: number,
  { at, address }: { readonly at: string; readonly address: string | undefined },
): Message {
  const named = messages.slice(0, DIGEST_LINES);
  const unnamed = messages.length - named.length + leftOut;
  const lines = named.map(({ at: then, title, text }) => {
    const moment = `${then.slice(0, 16).replace("T", " ")} UTC`;
    return cutBytes(`${moment}: ${title}${text === "" ? "" : ` (${text})`}`, 150);
  });
  return {
    event: "digest",
    at,
    title: `${messages.length + leftOut} messages that waited`,
    text: [...lines, ...(unnamed > 0 ? [`and ${unnamed} more`] : [])].join("\n"),
    link: linkTo(address, "/"),
  };
}

/** What a person sends to see whether a channel works. Pure. */
export function testMessage(name: string, at: string, address: string | undefined): Message {
  const text = `The channel ${name} of this nest works.`;
  return { event: "test", at, title: "A test message", text, link: linkTo(address, "/") };
}

/** A page of the nest; undefined where its address is not known. */
function linkTo(address: string | undefined, path: string): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, origin, pathname } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") return undefined;
  // A hub shows its nests below a path.
  return `${origin}${pathname.replace(/\/+$/, "")}${path}`;
}
