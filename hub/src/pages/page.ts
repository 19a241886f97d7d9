import { barBrand, barNavigation, type Html, html, htmlDocument, offlinePlace, schemeSwitch } from "@nest/http";
import { hubNavigation, isUnder, type Navigating } from "@nest/protocol";

const places = hubNavigation(undefined);
/** Shown by `account.js` to whoever is signed in. */
const personalPlaces = hubNavigation({ authenticated: true, hub_admin: false })
  .slice(places.length)
  .map(({ address, name }) => html`<li hidden data-personal><a href="${address}">${name}</a></li>`);

export interface PageParts {
  readonly title: string;
  readonly description: string;
  /** The path of this page, marked in the navigation. */
  readonly here: string;
  readonly scripts?: readonly string[];
  readonly styles?: readonly string[];
  readonly body: Html;
}

/** A whole public page: made here, works without scripts, nothing inline, nothing from elsewhere. */
export function page({ title, description, here, scripts = [], styles = [], body }: PageParts): string {
  return publicDocument({
    title: `${title} · Nest`,
    description,
    styles: ["/assets/public.css", ...styles],
    scripts: ["/assets/still-there.js", ...scripts],
    body: html`<a class="skip" href="#main">Skip to the content</a>
${siteHeader(here)}
${offlinePlace("hub")}
<main id="main" class="wide" tabindex="-1">
${body}
</main>
<footer class="wide"><p><a href="/api/docs">API</a></p></footer>`,
  });
}

/** A document with what every public page loads: the styles of the frame, the choice of colours, who is signed in. */
export function publicDocument(document: Required<Omit<PageParts, "here">>): string {
  return htmlDocument({
    ...document,
    styles: ["/assets/frame.css", ...document.styles],
    head: html`<script src="/assets/colour-scheme.js"></script>\n`,
    scripts: ["/assets/current-page.js", "/assets/account.js", ...document.scripts],
  });
}

/** The bar at the top of a public page, as the browser app has it. `state`: what the page says of its connection. */
export function siteHeader(here: string, state?: Html): Html {
  const back = here === "" || here === "/login" ? "" : `?redirect=${encodeURIComponent(here)}`;
  return html`<header class="top"><div class="wide bar">
${barBrand}
${barNavigation(places, ({ address }) => address === here, personalPlaces)}
<div class="bar-end">${state}${schemeSwitch}<a class="sign-in" href="/login${back}">Sign in</a></div>
</div></header>`;
}

/** The frame of a page of the browser app, which the app replaces when its scripts have come. */
export function appShell(who: Navigating, path: string): Html {
  return html`<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="wide bar">
${barBrand}
${barNavigation(hubNavigation(who), (entry) => isUnder(entry, path))}
</div></header>
<main id="main" class="wide" tabindex="-1"><p class="soft" role="status" data-loading>Loading…</p></main>`;
}
