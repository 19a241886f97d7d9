import { html, serveWebApp } from "@nest/http";
import type { Random } from "@nest/kit";
import { pages } from "@nest/protocol";
import type { FastifyInstance } from "fastify";
import { type HubRoutes, isAdmin } from "../access/viewer.ts";
import { asksOf, pageSources } from "./app-page-needs.ts";
import { appShell, page } from "./page.ts";

/** Serves the hub's side of the browser app. `folder`: where it was built to, the usual place unless given. */
export function registerApp(
  http: FastifyInstance,
  routes: HubRoutes,
  { random, folder }: { readonly random: Random; readonly folder?: string },
): void {
  serveWebApp(http, routes, {
    entry: "hub",
    pages: pages.app,
    notBuilt: notBuiltPage,
    withoutScripts: html`<p>This page needs scripts. The same as data: <a href="/api/contribute/status">status</a>, <a href="/api/contribute/fleet">fleet</a>,
<a href="/api/contribute/queue">queue</a>, <a href="/api/contribute/activity">activity</a>.</p>`,
    random,
    shell: (viewer, path) => {
      const who = { authenticated: viewer.kind !== "anonymous", hub_admin: isAdmin(viewer) };
      return {
        body: appShell(who, path),
        viewer: who.hub_admin ? "admin" : who.authenticated ? "user" : "visitor",
        asks: asksOf(path),
      };
    },
    pageSources,
    ...(folder === undefined ? {} : { folder }),
  });
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
