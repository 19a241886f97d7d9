import { join } from "node:path";
import { NestError, type Random } from "@nest/kit";
import { pages } from "@nest/protocol";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { RouteRegistry } from "../access/route-registry.ts";
import { AppBuild, type AppEntry } from "./app-build.ts";
import { html, page } from "./html.ts";
import { sendPage } from "./send-page.ts";

export interface AppPageDeps {
  readonly random: Random;
  /** Where the app was built to. */
  readonly folder?: string;
}

const BUILT = join(import.meta.dirname, "../../../web/dist");
const ENTRY = "hub";
/** A name with a hash never stands for something else. */
const FOR_EVER = "public, max-age=31536000, immutable";

/** Serves the browser app: one page for all its addresses, and the files it loads. */
export function registerApp(
  http: FastifyInstance,
  routes: RouteRegistry,
  { random, folder = BUILT }: AppPageDeps,
): void {
  const build = new AppBuild(folder);
  for (const route of pages.app) {
    routes.serve(route, async ({ reply }) => {
      const entry = await build.entry(ENTRY);
      return entry === undefined ? sendPage(reply.code(503), notBuiltPage()) : sendApp(reply, entry, random.hex(16));
    });
  }
  http.get<{ Params: { name: string } }>("/app/assets/:name", async (request, reply) => {
    const takesBrotli = /\bbr\b/.test(request.headers["accept-encoding"] ?? "");
    const file = await build.file(request.params.name, takesBrotli);
    if (file === undefined)
      throw new NestError("not_found", "no such file of the app", { hint: "reload the page: the app was built anew" });
    if (file.encoding !== undefined) reply.header("content-encoding", file.encoding);
    return reply.header("cache-control", FOR_EVER).header("vary", "accept-encoding").type(file.type).send(file.content);
  });
}

/** Sends the app's page. The nonce is for the few styles that the app makes while it runs; scripts come as files only. */
function sendApp(reply: FastifyReply, { script, imports, styles }: AppEntry, nonce: string): FastifyReply {
  return sendPage(
    reply,
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="style-nonce" nonce="${nonce}">
<title>Nest</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/theme.css">
${styles.map((file) => html`<link rel="stylesheet" href="/app/${file}">\n`)}${imports.map(
  (file) => html`<link rel="modulepreload" href="/app/${file}">\n`,
)}<script type="module" src="/app/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript><p>This page needs scripts. The same as data: <a href="/api/contribute/status">status</a>, <a href="/api/contribute/fleet">fleet</a>,
<a href="/api/contribute/queue">queue</a>, <a href="/api/contribute/activity">activity</a>.</p></noscript>
</body>
</html>
`.text,
    { styleNonce: nonce },
  );
}

function notBuiltPage(): string {
  return page({
    title: "Not built",
    description: "The browser app of this hub was not built.",
    here: "/operations",
    body: html`<div class="lead"><h1>This page was not built yet</h1>
<p>The hub works without it; only its browser app is missing. In the checkout that the hub runs from:</p></div>
<div class="command"><pre tabindex="0"><code>npm run build</code></pre></div>
<p class="soft">Then reload. The hub need not be restarted.</p>`,
  });
}
