import { html, type Problem } from "@nest/http";
import { page } from "./page.ts";

/** The page for a browser that asked for a page that does not exist or cannot be shown now. */
export function errorPage({ status, body: { error, hint } }: Problem): string {
  return page({
    title: status === 404 ? "Not found" : "It did not work",
    description: "Something went wrong.",
    here: "",
    body: html`<div class="lead"><p class="soft">${status}</p>
<h1>${status === 404 ? "There is no such page" : "It did not work"}</h1>
<p>${sentence(error)}${hint === undefined ? undefined : html` ${sentence(hint)}`}</p></div>
<p><a href="/">To the front page</a></p>`,
  });
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
