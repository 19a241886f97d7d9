import { type Html, html } from "@nest/http";
import { route } from "@nest/protocol";
import { z } from "zod";
import type { SignInWay } from "../access/sign-in-way.ts";
import type { Visitor } from "../access/visitor.ts";
import { page } from "./page.ts";

/** Where people sign in, and out. */
export const ownSignInPage = route({
  method: "GET",
  path: "/sign-in",
  summary: "Sign in to this nest, or out of it; `to` is a path of this nest to go on to",
  access: "anyone",
  produces: "text/html",
  query: z.object({ to: z.string().max(2000).optional() }),
  reply: z.string(),
});

/** The page for signing in: the code to type in, or who is signed in, or why nobody can. */
export function signInPage(visitor: Visitor, way: SignInWay, to: string): string {
  const body =
    visitor.kind === "known" ? signedIn(visitor, way, to) : way.by === "device" ? device(to) : nobodyCan(way);
  return page(
    "Sign in · Nest",
    html`<h1>Sign in</h1>
${body}
<p><a href="/">What this nest is</a></p>`,
  );
}

/** What is shown in the place of a page for people with a role to somebody who has none. */
export function comeInPage(how: Html): string {
  return page("Sign in · Nest", html`<h1>This page needs a role</h1>\n${how}`);
}

/** What a visitor with no role is told in the place of what this nest shows to others. */
export function howToComeIn(way: SignInWay): Html {
  if (way.by === "device") return html`<p><a href="/sign-in">Sign in</a> to see it.</p>`;
  if (way.by === "none") return nobodyCan(way);
  return html`<p class="bad">This request did not come through the hub's proxy with a role.</p>
<p>If this nest belongs to a hub, open it from the hub's list of nests. A hub's proxy that runs on another machine has to be named in <code>dashboard.trusted_proxies</code>, or to send
<code>X-Nest-Proxy-Auth</code>.</p>
<p>If no hub stands in front of it, its operator sets these in <code>nest.yaml</code> and restarts it; until then nobody can sign in:</p>
<pre>dashboard:
  hub_proxied: false
  authorized_users: ["&lt;login&gt;:owner"]
github:
  oauth_client_id: …</pre>`;
}

function device(to: string): Html {
  return html`<p>You prove your login to the code host. It tells this nest your name, and nothing else.</p>
<p><button type="button" id="begin" data-to="${to}">Sign in with a code</button></p>
<div id="code" hidden>
<p>1. Copy this code: <strong id="user-code" class="user-code"></strong> <button type="button" id="copy">Copy</button></p>
<p>2. Type it in at <a id="where" rel="noopener noreferrer" target="_blank"></a>.</p>
<p>Enter only a code that you asked for yourself, on this page.</p>
</div>
<p id="state" role="status"></p>
<noscript><p class="bad">Signing in needs scripts.</p></noscript>
<script src="/assets/sign-in.js" type="module"></script>`;
}

function signedIn({ login, role }: Extract<Visitor, { kind: "known" }>, { by }: SignInWay, to: string): Html {
  return html`<p>You are signed in as <strong>${login}</strong>, with the role ${role}.</p>
<p><a href="${to}">Go on</a></p>
${
  by === "proxy"
    ? html`<p>The hub in front of this nest signs people in and out.</p>`
    : html`<p><button type="button" id="sign-out">Sign out</button></p>
<p id="state" role="status"></p>
<script src="/assets/sign-in.js" type="module"></script>`
}`;
}

function nobodyCan({ by, hint }: SignInWay): Html {
  if (by === "proxy") return html`<p>The hub in front of this nest signs people in: open the nest from there.</p>`;
  return html`<p class="bad">Nobody can sign in at this nest yet.</p>
<p>Its operator has to ${hint ?? "configure a sign-in"}, and to restart it.</p>`;
}
