const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML shows it, in element content and in quoted attributes; nothing in it is markup. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** Markup that is meant as such: made by {@link html} only, so nothing that was not written here gets in. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Html | readonly Html[] | undefined;

/** A template that escapes whatever is put into it, unless that is markup made here. */
export function html(pieces: TemplateStringsArray, ...values: readonly Piece[]): Html {
  let text = pieces[0] ?? "";
  for (const [at, value] of values.entries()) text += shown(value) + (pieces[at + 1] ?? "");
  return new Html(text);
}

function shown(value: Piece): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return escapeHtml(String(value));
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 7a6 6 0 0 0 12 0' fill='none' stroke='%232f7d68' stroke-width='2.4' stroke-linecap='round'/%3E%3Ccircle cx='8' cy='5' r='2' fill='%232f7d68'/%3E%3C/svg%3E";

const places = [
  ["/", "Live"],
  ["/contribute", "Contribute"],
  ["/leaderboard", "Leaderboard"],
  ["/operations", "Operations"],
] as const;

export interface PageDeps {
  readonly title: string;
  readonly description: string;
  /** The path of this page, marked in the navigation. */
  readonly here: string;
  readonly scripts?: readonly string[];
  readonly styles?: readonly string[];
  readonly body: Html;
}

/** A whole public page: made here, works without scripts, nothing inline, nothing from elsewhere. */
export function page({ title, description, here, scripts = [], styles = [], body }: PageDeps): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title} · Nest</title>
<link rel="icon" href="${new Html(ICON)}">
<link rel="stylesheet" href="/assets/theme.css">
<link rel="stylesheet" href="/assets/public.css">
${styles.map((href) => html`<link rel="stylesheet" href="${href}">\n`)}${scripts.map(
  (src) => html`<script type="module" src="${src}"></script>\n`,
)}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><div class="wide bar">
<a class="brand" href="/"><svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true"><path d="M2 7a6 6 0 0 0 12 0"/><circle cx="8" cy="5" r="2"/></svg>Nest</a>
<nav aria-label="Pages"><ul>${places.map(([path, name]) =>
    path === here
      ? html`<li><a href="${path}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${path}">${name}</a></li>`,
  )}</ul></nav>
</div></header>
<main id="main" class="wide" tabindex="-1">
${body}
</main>
<footer class="wide"><p><a href="/login">Sign in</a> <a href="/api/openapi.json">API</a></p></footer>
</body>
</html>
`.text;
}
