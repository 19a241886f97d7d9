const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML shows it, in element content and in quoted attributes; nothing in it is markup. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** Trusted markup. Only {@link html} makes it, so that no text of a stranger is taken for markup. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Html | readonly Html[] | undefined;

/** A template tag that escapes every value, except markup that it made itself. */
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

/** The page's icon, a little nest. Without one in the page browsers request `/favicon.ico`, which does not exist. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 7a6 6 0 0 0 12 0' fill='none' stroke='%232f7d68' stroke-width='2.4' stroke-linecap='round'/%3E%3Ccircle cx='8' cy='5' r='2' fill='%232f7d68'/%3E%3C/svg%3E";

export interface DocumentParts {
  readonly title: string;
  readonly description?: string;
  /** Addresses of style sheets, in order. The colours that all pages share are loaded before them. */
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
  /** More for the head, after the styles. */
  readonly head?: Html;
  readonly body: Html;
}

/** A whole HTML document, in light and dark: nothing inline, nothing from elsewhere. */
export function htmlDocument({ title, description, styles = [], scripts = [], head, body }: DocumentParts): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${description === undefined ? undefined : html`<meta name="description" content="${description}">\n`}<title>${title}</title>
<link rel="icon" href="${new Html(ICON)}">
${["/assets/theme.css", ...styles].map((href) => html`<link rel="stylesheet" href="${href}">\n`)}${head}${scripts.map(
  (src) => html`<script type="module" src="${src}"></script>\n`,
)}</head>
<body>
${body}
</body>
</html>
`.text;
}
