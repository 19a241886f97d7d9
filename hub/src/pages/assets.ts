import { readFileSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { serveAssets } from "@nest/http";
import type { FastifyInstance } from "fastify";

/** Serves the styles and scripts that the server-made pages load. */
export function registerAssets(app: FastifyInstance): void {
  serveAssets(app, join(import.meta.dirname, "assets"));
  // Wording and decisions are written in TypeScript, to be type-checked and tested; the browser gets them without the types.
  const scripts = [
    ["/assets/live-words.js", new URL("./live-words.ts", import.meta.url)],
    ["/assets/activity.js", protocolFile("activity")],
    ["/assets/reasons.js", protocolFile("reasons")],
  ] as const;
  for (const [path, file] of scripts) {
    const script = inBrowser(readFileSync(file, "utf8"));
    app.get(path, (_request, reply) =>
      reply.header("cache-control", "no-cache").type("text/javascript; charset=utf-8").send(script),
    );
  }
}

/** The protocol's files that describe events and reasons, so that pages and servers use the same words. */
function protocolFile(name: "activity" | "reasons"): string {
  return createRequire(import.meta.url).resolve(`@nest/protocol/${name}`);
}

/** Makes TypeScript runnable in a browser: strips the types, and imports the protocol's files from the same folder. */
function inBrowser(source: string): string {
  return stripTypeScriptTypes(source).replace(/(from\s+")@nest\/protocol\/(\w+)"/g, '$1./$2.js"');
}
