import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import type { FastifyInstance } from "fastify";
import { livePage } from "./live-page.ts";

/** No inline script or style, nothing from elsewhere, no framing. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the live page and what it loads. */
export function registerPages(app: FastifyInstance): void {
  const page = livePage();
  app.get("/", (_request, reply) =>
    reply
      .header("content-security-policy", PAGE_POLICY)
      .header("x-content-type-options", "nosniff")
      .header("referrer-policy", "no-referrer")
      .header("cache-control", "no-cache")
      .type("text/html; charset=utf-8")
      .send(page),
  );
  const assets = [
    ["/assets/live.css", "text/css", read("./assets/live.css")],
    ["/assets/live.js", "text/javascript", read("./assets/live.js")],
    ["/assets/live-dom.js", "text/javascript", read("./assets/live-dom.js")],
    // Wording and decisions are TypeScript so that they are checked and tested; the browser gets them without the types.
    ["/assets/live-words.js", "text/javascript", stripTypeScriptTypes(read("./live-words.ts"))],
  ] as const;
  for (const [path, type, content] of assets) {
    app.get(path, (_request, reply) =>
      reply
        .header("x-content-type-options", "nosniff")
        .header("cache-control", "no-cache")
        .type(`${type}; charset=utf-8`)
        .send(content),
    );
  }
}

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), "utf8");
}
