import { readFileSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
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
    ["/assets/live-words.js", "text/javascript", inBrowser(read("./live-words.ts"))],
    ["/assets/activity.js", "text/javascript", inBrowser(protocolFile("activity"))],
    ["/assets/reasons.js", "text/javascript", inBrowser(protocolFile("reasons"))],
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

/** The files of the protocol that describe events and reasons: pages and servers have their words from the same place. */
function protocolFile(name: "activity" | "reasons"): string {
  return readFileSync(createRequire(import.meta.url).resolve(`@nest/protocol/${name}`), "utf8");
}

/** TypeScript as a browser runs it: without types, and the protocol's files from beside it. */
function inBrowser(source: string): string {
  return stripTypeScriptTypes(source).replace(/(from\s+")@nest\/protocol\/(\w+)"/g, '$1./$2.js"');
}

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), "utf8");
}
