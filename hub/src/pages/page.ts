import { type Html, html, htmlDocument } from "@nest/http";

const places = [
  ["/", "Live"],
  ["/contribute", "Contribute"],
  ["/leaderboard", "Leaderboard"],
  ["/operations", "Operations"],
] as const;

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
  return htmlDocument({
    title: `${title} · Nest`,
    description,
    styles: ["/assets/public.css", ...styles],
    scripts,
    body: html`<a class="skip" href="#main">Skip to the content</a>
<header><div class="wide bar">
<a class="brand" href="/"><svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true"><path d="M2 7a6 6 0 0 0 12 0"/><circle cx="8" cy="5" r="2"/></svg>Nest</a>
${navigation(here)}
</div></header>
<main id="main" class="wide" tabindex="-1">
${body}
</main>
<footer class="wide"><p><a href="/login">Sign in</a> <a href="/api/openapi.json">API</a></p></footer>`,
  });
}

/** The way among the public pages. */
export function navigation(here: string): Html {
  return html`<nav aria-label="Pages"><ul>${places.map(([path, name]) =>
    path === here
      ? html`<li><a href="${path}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${path}">${name}</a></li>`,
  )}</ul></nav>`;
}
