import { html } from "@nest/http";
import { page } from "./page.ts";

/** The sign-in page of a hub without a browser round trip: a code to type at the code host. `/assets/login.js` does the asking. */
export function loginPage(to: string, hasDeviceFlow: boolean): string {
  const way = hasDeviceFlow
    ? html`<p class="lead">You prove your login to the code host. It tells this hub your name, and nothing else.</p>
<p><button type="button" class="button" id="begin" data-to="${to}">Sign in with a code</button></p>
<div id="code" hidden>
<p>Type this code at <a id="where" rel="noopener noreferrer" target="_blank"></a>:</p>
<p class="user-code" id="user-code"></p>
</div>
<p id="state" role="status"></p>
<noscript><p class="notice">Signing in here needs scripts.</p></noscript>`
    : html`<p class="notice">This hub has no sign-in yet. Its operator sets <code>github.oauth_client_id</code> in nest.yaml, or
<code>NEST_HUB_OAUTH_CLIENT_ID</code>.</p>`;
  return page({
    title: "Sign in",
    description: "Sign in to this hub.",
    here: "/login",
    scripts: hasDeviceFlow ? ["/assets/login.js"] : [],
    body: html`<h1>Sign in</h1>\n${way}`,
  });
}
