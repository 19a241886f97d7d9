import { networkOf, takesGzip } from "@nest/http";
import { contribute } from "@nest/protocol";
import type { FastifyRequest } from "fastify";
import { type HubRoutes, sameViewer, type Viewer } from "../access/viewer.ts";
import { type Visibility, visibilityOf } from "../operations/visibility.ts";
import type { EventStream } from "./event-stream.ts";

export interface StreamRouteDeps {
  readonly stream: EventStream;
  /** Determines the viewer again, because a session may have ended since. */
  readonly viewerOf: (request: FastifyRequest) => Promise<Viewer>;
  /** The visibility of people without admin rights; admins see every repository. */
  readonly publicVisibility: Visibility;
}

/** The route with everything that happens, as it happens. */
export function registerStreamRoutes(routes: HubRoutes, { stream, viewerOf, publicVisibility }: StreamRouteDeps): void {
  routes.serve(contribute.events, async ({ viewer, query, request, reply }) => {
    // The event stream has no end and so no length to announce.
    if (request.method === "HEAD") return reply.type("text/event-stream; charset=utf-8").send();
    reply.hijack();
    const audience = {
      visibility: visibilityOf(viewer, publicVisibility),
      anonymousAt: viewer.kind === "anonymous" ? networkOf(request.ip) : undefined,
      isStill: async () => sameViewer(viewer, await viewerOf(request)),
    };
    const wishes = { wantsChanges: query.fleet === "changes", isPacked: takesGzip(request.headers["accept-encoding"]) };
    if (!(await stream.watch(reply.raw, audience, wishes))) {
      reply.raw.writeHead(503, { "content-type": "application/json", "retry-after": "5" });
      reply.raw.end(JSON.stringify({ error: "too many event streams are open", code: "too_many_watchers" }));
    }
    return reply;
  });
}
