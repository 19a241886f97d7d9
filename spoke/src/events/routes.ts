import type { IncomingMessage } from "node:http";
import type { RouteRegistry } from "@nest/http";
import type { Clock } from "@nest/kit";
import { nestEvents } from "@nest/protocol";
import type { Visitor } from "../access/visitor.ts";
import type { NestAgents } from "../agents/build-agents.ts";
import { NestEventStream } from "./event-stream.ts";

const FIRST_LINES = 50;

export interface EventsDeps {
  readonly agents: NestAgents;
  readonly clock: Clock;
  /** Whether whoever asked may still watch. */
  readonly mayWatch: (request: IncomingMessage) => boolean;
}

/** Serves everything that changes as one stream of events; the caller closes it. */
export function serveEvents(routes: RouteRegistry<Visitor>, { agents, clock, mayWatch }: EventsDeps): NestEventStream {
  const { governor, feed } = agents;
  const stream = new NestEventStream({
    clock,
    hello: () => ({
      governor: governor.status,
      agents: governor.agents,
      activity: feed.page(FIRST_LINES).activity,
    }),
  });
  const has = (name: string) => governor.agents.some((agent) => agent.name === name);
  governor.onChange((change) => {
    if (change.kind === "governor") stream.tellSoon("governor", "", () => governor.status);
    else if (change.kind === "run") stream.tell("run", change.run);
    else if (change.kind === "agent gone") stream.tell("agent_gone", { name: change.name });
    // One that is removed meanwhile is not told of again.
    else stream.tellSoon("agent", change.agent.name, () => (has(change.agent.name) ? change.agent : undefined));
  });
  feed.onLine((line) => stream.tell("activity", line));
  routes.serve(nestEvents.eventStream, ({ request, reply, viewer }) => {
    if (request.method === "HEAD") return reply.type("text/event-stream; charset=utf-8").send();
    reply.hijack();
    const who = viewer.kind === "known" ? viewer.login : request.ip;
    if (!stream.watch(reply.raw, who, () => mayWatch(request.raw))) {
      reply.raw.writeHead(503, { "content-type": "application/json", "retry-after": "5" });
      reply.raw.end(JSON.stringify({ error: "too many event streams are open", code: "too_many_watchers" }));
    }
    return reply;
  });
  return stream;
}
