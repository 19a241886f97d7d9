import { cutBytes } from "@nest/kit";

/** Who tells something: a nest or a hub, by its id. */
export interface Sender {
  readonly kind: "nest" | "hub";
  readonly id: string;
}

/** What a channel is told. Every text is plain: one line each, cut, whoever wrote it. Each kind writes it so that it stays plain there. */
export interface Message<Event extends string = string> {
  readonly event: Event | "digest" | "test";
  readonly at: string;
  readonly title: string;
  readonly text: string;
  /** Where the sender shows more; its own address. */
  readonly link?: string | undefined;
  readonly agent?: string | undefined;
  /** `owner/name#number`. */
  readonly issue?: string | undefined;
  /** A pull request of the code host and of no other. */
  readonly pull_request?: string | undefined;
}

/** So many messages are named in a digest. */
const DIGEST_LINES = 20;

/** One message for many that waited. `leftOut`: how many more there were than were kept. Pure. */
export function digestOf(
  messages: readonly Message[],
  leftOut: number,
  { at, address }: { readonly at: string; readonly address: string | undefined },
): Message<never> {
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
export function testMessage(
  name: string,
  at: string,
  { kind, address }: { readonly kind: Sender["kind"]; readonly address: string | undefined },
): Message<never> {
  const text = `The channel ${name} of this ${kind} works.`;
  return { event: "test", at, title: "A test message", text, link: linkTo(address, "/") };
}

/** A page of the sender; undefined where its address is not known. */
export function linkTo(address: string | undefined, path: string): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, origin, pathname } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") return undefined;
  // A hub shows its nests below a path.
  return `${origin}${pathname.replace(/\/+$/, "")}${path}`;
}
