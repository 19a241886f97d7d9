import { type Html, html, htmlDocument, type Problem } from "@nest/http";

/** A whole page of a nest around `body`. */
export function page(title: string, body: Html): string {
  return htmlDocument({ title, styles: ["/assets/spoke.css"], body: html`<main>\n${body}\n</main>` });
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
