import { type Deliver, failed } from "./delivery.ts";
import { post } from "./post.ts";

const SLACK = "https://hooks.slack.com/services";

/**
 * Posts to an incoming webhook of Slack, or of a program that takes the same. The secret is the whole address, or what comes after
 * `url`. The texts mention nobody and link nowhere; only the sender's own links are links.
 */
export const deliverToSlack: Deliver<"slack"> = async ({ message, sender }, { url, key }, deps) => {
  if (key === undefined) return failed("it has no secret yet: the address of the incoming webhook", true);
  const { title, text, link, pull_request } = message;
  const links = [linked(link, `Open the ${sender.kind}`), linked(pull_request, "Pull request")].filter(
    (one) => one !== "",
  );
  const lines = [asPlainText(title), asPlainText(text), links.join(" · ")].filter((line) => line !== "");
  const body = { text: lines.join("\n"), mrkdwn: false, parse: "none", link_names: false };
  return post(
    addressOf(url ?? SLACK, key.reveal()),
    {
      headers: { "content-type": "application/json; charset=utf-8", "user-agent": "nest" },
      body: JSON.stringify({ ...body, unfurl_links: false, unfurl_media: false }),
    },
    deps,
  );
};

function addressOf(base: string, secret: string): string {
  if (/^https?:\/\//.test(secret)) return secret;
  return `${base.replace(/\/+$/, "")}/${secret.replace(/^\/+/, "")}`;
}

/**
 * A text that stays one. `&`, `<` and `>` are all that Slack's own format needs escaped (`<!channel>`, `<@U1>`, `<url|words>`); programs
 * that take the same posts also read `@channel`, Markdown's links and bare addresses, so these are broken up visibly. Pure.
 */
export function asPlainText(text: string): string {
  return text
    .replaceAll("@", "＠")
    .replaceAll("://", ": //")
    .replaceAll("](", "] (")
    .replaceAll("`", "'")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

function linked(address: string | undefined, words: string): string {
  if (address === undefined) return "";
  const safe = new URL(address).href.replaceAll("&", "&amp;").replaceAll("|", "%7C");
  return `<${safe}|${words}>`;
}
