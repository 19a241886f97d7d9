import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import type { FastifyInstance } from "fastify";

/** Serves the styles and scripts that the server-made pages load. */
export function registerAssets(app: FastifyInstance): void {
  const assets = [
    ["/assets/theme.css", "text/css", read("./assets/theme.css")],
    ["/assets/icon.svg", "image/svg+xml", read("./assets/icon.svg")],
    ["/assets/live.css", "text/css", read("./assets/live.css")],
    ["/assets/public.css", "text/css", read("./assets/public.css")],
    ["/assets/live.js", "text/javascript", read("./assets/live.js")],
    ["/assets/live-dom.js", "text/javascript", read("./assets/live-dom.js")],
    ["/assets/contribute.js", "text/javascript", read("./assets/contribute.js")],
    ["/assets/login.js", "text/javascript", read("./assets/login.js")],
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
