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

/** What a browser shows until its scripts have come: the frame of the page. */
export interface Shell {
  readonly body: Html;
  /** For whom it is, in a word that the app reads. */
  readonly viewer: string;
  /** Paths of the API that the page asks first: the browser asks them while it still fetches the scripts. */
  readonly asks?: readonly string[];
}

export interface WebAppDeps<Viewer> extends AppPageDeps {
  readonly pages: readonly Route[];
  /** The frame of a page for somebody; `path` is the page's. Without it a browser shows nothing until its scripts have come. */
  readonly shell?: (viewer: Viewer, path: string) => Shell;
  /** The source of each page, by the path of its route: its script is fetched beside the app's and not after it. */
  readonly pageSources?: Readonly<Record<string, string>>;
}

/** Serves the browser app: one page for all its addresses, and the files it loads. */
export function serveWebApp<Viewer>(
  http: FastifyInstance,
  routes: RouteRegistry<Viewer>,
  deps: WebAppDeps<Viewer>,
): void {
  for (const route of deps.pages)
    routes.serve(route, ({ reply, request, viewer }) =>
      sendAppPage(reply, deps, {
        shell: deps.shell?.(viewer, request.url.split("?")[0] ?? ""),
        source: deps.pageSources?.[route.path],
      }),
    );
  serveAppFiles(http, deps.folder);
}

/** Sends the page of an entry, or the one that says that the app was not built. */
export async function sendAppPage(
  reply: FastifyReply,
  deps: AppPageDeps,
  { shell, source }: { readonly shell?: Shell | undefined; readonly source?: string | undefined } = {},
): Promise<FastifyReply> {
  const { entry: name, notBuilt, withoutScripts, random, folder = BUILT } = deps;
  const entry = await new AppBuild(folder).entry(name, source);
  return entry === undefined
    ? sendPage(reply.code(503), notBuilt())
    : sendApp(reply, entry, { withoutScripts, shell, nonce: random.hex(16) });
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
  { script, imports, styles, laterStyles }: AppEntry,
  {
    withoutScripts,
    shell,
    nonce,
  }: { readonly withoutScripts: Html; readonly shell: Shell | undefined; readonly nonce: string },
): FastifyReply {
  // Styles are in the head, because those that the app makes while it runs must come after them. Scripts come behind the frame, so
  // that a slow network shows the frame first.
  const page = htmlDocument({
    title: "Nest",
    styles: ["/assets/frame.css", ...styles.map((file) => `/app/${file}`)],
    head: html`<script src="/assets/colour-scheme.js"></script>
<script src="/assets/app-start.js"></script>
<meta name="style-nonce" nonce="${nonce}">`,
    body: html`${appElement(shell)}
${preloads(imports, laterStyles, shell?.asks ?? [])}<script type="module" src="/app/${script}"></script>
<noscript><div class="wide">${withoutScripts}</div></noscript>`,
  });
  return sendPage(reply, page, { styleNonce: nonce });
}

/** What the page needs soon: named here, it is fetched beside the first script and not when that one asks for it. */
function preloads(scripts: readonly string[], styles: readonly string[], asks: readonly string[]): Html {
  return html`${scripts.map((file) => html`<link rel="modulepreload" href="/app/${file}">\n`)}${styles.map(
    (file) => html`<link rel="preload" as="style" crossorigin="anonymous" href="/app/${file}">\n`,
  )}${asks.map((path) => html`<link rel="preload" as="fetch" crossorigin="anonymous" href="${path}">\n`)}`;
}

/** The element that the app renders into: it replaces the shell. */
function appElement(shell: Shell | undefined): Html {
  return shell === undefined
    ? html`<div id="app"></div>`
    : html`<div id="app" data-viewer="${shell.viewer}">${shell.body}</div>`;
}
