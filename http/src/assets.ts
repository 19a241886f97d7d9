import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply } from "fastify";

/** Colours, type and icon of every page, of hub and spoke alike. */
const SHARED = join(import.meta.dirname, "assets");
const ASSET = /^\/[a-z-]+\.(?:css|js|svg)$/;

/** Serves the styles and scripts that server-made pages load: those that all pages share, and those in `folder`. */
export function serveAssets(http: FastifyInstance, folder: string): void {
  void http.register(fastifyStatic, {
    root: [SHARED, folder],
    prefix: "/assets/",
    decorateReply: false,
    allowedPath: (path) => ASSET.test(path),
    // Asked for anew with each page, and answered with 304 while it is the same.
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header("cache-control", "no-cache");
      nameScripts(reply, path);
    },
  });
}

/** Scripts by the name that the standard has for them today (RFC 9239). */
export function nameScripts(reply: Pick<FastifyReply, "header">, path: string): void {
  if (/\.js(?:\.br)?$/.test(path)) reply.header("content-type", "text/javascript; charset=utf-8");
}
