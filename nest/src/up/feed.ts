import { contribute, describeActivity, knownActivity } from "@nest/protocol";

type Entry = contribute.ActivityEntry;

/**
 * One activity as a line for the terminal. `agent` is the name of the agent that really runs: the relay declares the backend
 * that it was told to use, even where the demo agent stands in for it.
 */
export function feedLine(entry: Entry, agent: string): string {
  const { before, about, after, detail, pullRequest } = describeActivity(entry);
  const told = [
    new Date(entry.timestamp).toTimeString().slice(0, 8),
    ` ${entry.username}`,
    before,
    about ?? pullRequest ?? "",
    ...(entry.title === undefined ? [] : [`“${entry.title}”`]),
    after,
  ]
    .filter((part) => part !== "")
    .join(" ");
  const address = about === undefined ? undefined : pullRequest;
  const more = knownActivity(entry.action) === "joined" ? agent : (address ?? detail);
  return more === undefined ? told : `${told}: ${more}`;
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
