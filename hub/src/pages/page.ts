import { type Html, html, htmlDocument } from "@nest/http";
import { hubNavigation, isUnder, type Navigating } from "@nest/protocol";

const places = hubNavigation(undefined);
/** Shown by `account.js` to whoever is signed in. */
const personalPlaces = hubNavigation({ authenticated: true, hub_admin: false }).slice(places.length);

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
    scripts,
    body: html`<a class="skip" href="#main">Skip to the content</a>
${siteHeader(here)}
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
    scripts: ["/assets/account.js", ...document.scripts],
  });
}

/** The bar at the top of a public page, as the browser app has it. `state`: what the page says of its connection. */
export function siteHeader(here: string, state?: Html): Html {
  const back = here === "" || here === "/login" ? "" : `?redirect=${encodeURIComponent(here)}`;
  return html`<header class="top"><div class="wide bar">
${brand}
<nav aria-label="Pages"><ul>${places.map(({ address, name }) => entry(address, name, address === here))}${personalPlaces.map(
    ({ address, name }) => html`<li hidden data-personal><a href="${address}">${name}</a></li>`,
  )}</ul></nav>
<div class="bar-end">${state}${schemeSwitch}<a class="sign-in" href="/login${back}">Sign in</a></div>
</div></header>`;
}

const brand = html`<a class="brand" href="/"><svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true"><path d="M2 7a6 6 0 0 0 12 0"/><circle cx="8" cy="5" r="2"/></svg>Nest</a>`;

function entry(address: string, name: string, isHere: boolean): Html {
  return isHere
    ? html`<li><a href="${address}" aria-current="page">${name}</a></li>`
    : html`<li><a href="${address}">${name}</a></li>`;
}

/** With more entries than this the navigation has a line of its own where the window is not wide, as in the browser app. */
const MANY = 7;

/** The frame of a page of the browser app, which the app replaces when its scripts have come. */
export function appShell(who: Navigating, path: string): Html {
  const entries = hubNavigation(who);
  const isMany = entries.length > MANY ? html` data-many="true"` : undefined;
  return html`<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="wide bar">
${brand}
<nav aria-label="Pages"${isMany}><ul>${entries.map((one) => entry(one.address, one.name, isUnder(one, path)))}</ul></nav>
</div></header>
<main id="main" class="wide" tabindex="-1"><p class="soft" role="status">Loading…</p></main>`;
}

const schemeSwitch = html`<label class="scheme-switch">
${schemeIcon("auto", "M3 5a1 1 0 0 1 1-1h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1zM7 20h10M9 16v4M15 16v4")}
${schemeIcon("light", "M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0M3 12h1m8-9v1m8 8h1m-9 8v1M5.6 5.6l.7.7m12.1-.7l-.7.7m0 11.4l.7.7m-12.1-.7l-.7.7")}
${schemeIcon("dark", "M12 3h.4a7.5 7.5 0 0 0 7.9 12.4A9 9 0 1 1 12 3z")}
<select aria-label="Colours"><option value="auto">As the system</option><option value="light">Light</option><option value="dark">Dark</option></select>
</label>`;

function schemeIcon(name: string, path: string): Html {
  return html`<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" data-icon="${name}"><path d="${path}"/></svg>`;
}
