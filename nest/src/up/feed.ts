import { contribute } from "@nest/protocol";

type Entry = contribute.ActivityEntry;

/**
 * One activity as a line for the terminal; undefined for what nobody needs to read there. `agent` is what works here: a relay
 * declares the backend that it was told to be, whatever program stands in for it.
 */
export function feedLine(entry: Entry, agent: string): string | undefined {
  const what = entry.task === undefined ? "" : ` ${entry.task}`;
  const title = entry.title === undefined ? "" : ` “${entry.title}”`;
  const time = new Date(entry.timestamp).toTimeString().slice(0, 8);
  const say = (text: string) => `${time}  ${entry.username} ${text}`;
  switch (entry.action) {
    case "joined":
      return say(`is ready to work with ${agent}`);
    case "left":
    case "registered":
      return undefined;
    case "picked up":
      return say(`took${what}${title}`);
    case "completed":
      return say(`finished${what}${entry.url === undefined ? "" : `: ${entry.url}`}`);
    case "pull request verified":
      return say(`opened a pull request that the hub verified: ${entry.url ?? ""}`);
    case "failed":
      return say(`could not do${what}: ${entry.detail ?? "no reason given"}`);
    default:
      return say(`${entry.action}${what}${entry.detail === undefined ? "" : ` (${entry.detail})`}`);
  }
}

/** Follows the hub's event stream and calls `tell` for each activity that happens from now on; ends with the signal. */
export async function followFeed(hubUrl: string, tell: (entry: Entry) => void, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${hubUrl}${contribute.events.path}`, { signal });
  if (response.body === null) return;
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const data = /^event: activity\ndata: (.*)$/m.exec(event)?.[1];
      const entry = data === undefined ? undefined : contribute.ActivityEntry.safeParse(JSON.parse(data));
      if (entry?.success === true) tell(entry.data);
    }
  }
}
