import {
  barBrand,
  barNavigation,
  type Html,
  html,
  htmlDocument,
  offlinePlace,
  type Problem,
  schemeSwitch,
} from "@nest/http";
import { nestNavigationFor } from "@nest/protocol";
import { mayUse } from "../access/admit.ts";
import type { Visitor } from "../access/visitor.ts";

/** For whom a page is made, and where it is: its bar leads whoever it is to the pages that they can use. */
export interface Around {
  readonly visitor: Visitor;
  /** The path of this page, marked in the navigation. */
  readonly here: string;
}

/** A whole page of a nest around `body`; with the bar of all its pages where it is known for whom it is. */
export function page(title: string, body: Html, around?: Around): string {
  if (around === undefined)
    return htmlDocument({ title, styles: ["/assets/spoke.css"], body: html`<main>\n${body}\n</main>` });
  return htmlDocument({
    title,
    styles: ["/assets/frame.css", "/assets/spoke.css"],
    head: html`<script src="/assets/colour-scheme.js"></script>\n`,
    scripts: ["/assets/current-page.js", "/assets/still-there.js"],
    body: html`<a class="skip" href="#main">Skip to the content</a>
${bar(around)}
${offlinePlace("nest")}
<main id="main" class="wide" tabindex="-1">
${body}
</main>`,
  });
}

/** The bar at the top of a page that the nest makes, as the browser app has it. */
function bar({ visitor, here }: Around): Html {
  const may = { operate: mayUse("operator", visitor), configure: mayUse("owner", visitor) };
  const entries = mayUse("member", visitor) ? nestNavigationFor(may) : [];
  const account =
    visitor.kind === "known"
      ? html`<a class="sign-in" data-signed-in href="/sign-in" aria-label="Signed in as ${visitor.login}, with the role ${visitor.role}">${visitor.login}</a>`
      : html`<a class="sign-in" href="/sign-in?to=${encodeURIComponent(here)}">Sign in</a>`;
  return html`<header class="top"><div class="wide bar">
${barBrand}
${barNavigation(entries, ({ address }) => here.startsWith(address))}
<div class="bar-end">${schemeSwitch}${account}</div>
</div></header>`;
}

/** The frame of a page of the browser app, which the app replaces when its scripts have come. */
export function appShell(around: Around): { readonly body: Html; readonly viewer: string } {
  const { visitor } = around;
  return {
    body: html`<a class="skip" href="#main">Skip to the content</a>
${bar(around)}
<main id="main" class="wide" tabindex="-1"><p class="soft" role="status" data-loading>Loading…</p></main>`,
    viewer: mayUse("owner", visitor) ? "owner" : mayUse("operator", visitor) ? "operator" : "reader",
  };
}

/** What stands above a terminal: the bar, and a word when the nest does not answer any more, which the terminal's own socket tells late. */
export function terminalBar(around: Around): Html {
  return html`${bar(around)}
${offlinePlace("nest")}
<script type="module" src="/assets/still-there.js"></script>`;
}

/** What a browser is shown where a page was asked for that there is not, or that is not for whoever asks. */
export function errorPage({ status, body: { error, hint } }: Problem): string {
  const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
  return page(
    status === 404 ? "Not found · Nest" : "It did not work · Nest",
    html`<h1>${status === 404 ? "There is no such page" : "It did not work"}</h1>
<p>${sentence(error)}${hint === undefined ? undefined : html` ${sentence(hint)}`}</p>
<p><a href="/">To this nest</a></p>`,
  );
}

/** What is shown in the place of the browser app where that was not built. */
export function notBuiltPage(): string {
  return page(
    "Not built · Nest",
    html`<h1>This page was not built yet</h1>
<p>The nest works without it. In the checkout that it runs from: <code>npm run build</code>, then reload.</p>
<p><a href="/">To this nest</a></p>`,
  );
}
