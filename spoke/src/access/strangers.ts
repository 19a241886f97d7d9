import { isSafe, sendPage } from "@nest/http";
import type { Route } from "@nest/protocol";
import type { FastifyInstance } from "fastify";
import { mayUse } from "./admit.ts";
import type { SignInWay } from "./sign-in-way.ts";
import type { Doorkeeper } from "./visitor.ts";

export interface StrangersDeps {
  readonly keeper: Doorkeeper;
  readonly way: () => SignInWay;
  /** The page that says how one comes in, or why nobody can. */
  readonly explanation: () => string;
}

/**
 * Sends a browser that opens one of these pages without being known to the sign-in, which leads back. Where the nest cannot sign
 * anybody in, it says what is wrong and goes nowhere: a redirect would come back here for ever.
 */
export function sendStrangersOn(http: FastifyInstance, pages: readonly Route[], deps: StrangersDeps): void {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  http.addHook("onRequest", async (request, reply) => {
    const page = byPath.get(request.routeOptions.url ?? "");
    if (page === undefined || !isSafe(request) || !/\btext\/html\b/.test(request.headers.accept ?? "")) return;
    const visitor = deps.keeper.judge(request.raw);
    const isOpen = page.access === "anyone" ? visitor.kind !== "stranger" : mayUse(page.access, visitor);
    // Somebody who is known and may not is told that they may not.
    if (isOpen || visitor.kind === "known") return;
    const { by } = deps.way();
    if (by === "device")
      return reply.header("cache-control", "no-store").redirect(`/sign-in?to=${encodeURIComponent(request.url)}`, 302);
    return sendPage(reply.code(403), deps.explanation(), { isPassing: true });
  });
}
