import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { Random } from "@nest/kit";
import type { Route } from "@nest/protocol";
import type { FastifyInstance, FastifyReply } from "fastify";
import { AppBuild, type AppEntry, FILE_NAME } from "./app-build.ts";
import { nameScripts } from "./assets.ts";
import { type Html, html, htmlDocument } from "./html.ts";
import type { RouteRegistry } from "./route-registry.ts";
import { sendPage } from "./send-page.ts";

/** Where the one build for hub and spoke is. */
const BUILT = join(import.meta.dirname, "../../web/dist");

/** A page that loads one of the build's entries. */
export interface AppPageDeps {
  /** Which side of the build: the name of its entry. */
  readonly entry: "hub" | "spoke" | "terminal";
  readonly notBuilt: () => string;
  /** Shown by browsers that run no scripts. */
  readonly withoutScripts: Html;
  readonly random: Random;
  readonly folder?: string;
}

export interface WebAppDeps extends AppPageDeps {
  readonly pages: readonly Route[];
}

/** Serves the browser app: one page for all its addresses, and the files it loads. */
export function serveWebApp<Viewer>(http: FastifyInstance, routes: RouteRegistry<Viewer>, deps: WebAppDeps): void {
  for (const route of deps.pages) routes.serve(route, ({ reply }) => sendAppPage(reply, deps));
  serveAppFiles(http, deps.folder);
}

/** Sends the page of an entry, or the one that says that the app was not built. */
export async function sendAppPage(reply: FastifyReply, deps: AppPageDeps): Promise<FastifyReply> {
  const { entry: name, notBuilt, withoutScripts, random, folder = BUILT } = deps;
  const entry = await new AppBuild(folder).entry(name);
  return entry === undefined
    ? sendPage(reply.code(503), notBuilt())
    : sendApp(reply, entry, withoutScripts, random.hex(16));
}

/** Serves the files that pages of the app load. */
export function serveAppFiles(http: FastifyInstance, folder: string = BUILT): void {
  void http.register(fastifyStatic, {
    root: join(folder, "assets"),
    prefix: "/app/assets/",
    decorateReply: false,
    suppressWarning: true,
    preCompressed: true,
    // A file name with a hash always stands for the same content.
    maxAge: "365d",
    immutable: true,
    allowedPath: (path) => FILE_NAME.test(path.slice(1)),
    setHeaders: (reply, path) => {
      reply.header("vary", "accept-encoding");
      nameScripts(reply, path);
    },
  });
}

/** Sends the app's page. The nonce is for the few styles that the app makes while it runs; scripts come as files only. */
function sendApp(
  reply: FastifyReply,
  { script, imports, styles }: AppEntry,
  withoutScripts: Html,
  nonce: string,
): FastifyReply {
  const page = htmlDocument({
    title: "Nest",
    styles: ["/assets/frame.css", ...styles.map((file) => `/app/${file}`)],
    head: html`<script src="/assets/colour-scheme.js"></script>
<meta name="style-nonce" nonce="${nonce}">
${imports.map((file) => html`<link rel="modulepreload" href="/app/${file}">\n`)}`,
    scripts: [`/app/${script}`],
    body: html`<div id="app"></div>
<noscript>${withoutScripts}</noscript>`,
  });
  return sendPage(reply, page, { styleNonce: nonce });
}
