import { type Html, html } from "@nest/http";
import { type Around, page } from "./page.ts";

/** The agents whose terminals can be opened. `around`: where the other pages of the nest are at the same address. */
export function terminalList(agents: readonly string[], around?: Around): string {
  return page(
    "Terminals · Nest",
    html`<h1>Terminals</h1>
<p>What each agent has on its screen now. Owners can type there; the roles merger and read-write look on.</p>
${agents.length === 0 ? html`<p>No agents are configured.</p>` : listOf(agents)}`,
    around,
  );
}

/** The first page of the terminal port, for somebody who may not see terminals. */
export function terminalClosed(how: Html): string {
  return page(
    "Terminals · Nest",
    html`<h1>Terminals</h1>
<p>The terminals of this nest's agents are for people with the role read-write or more.</p>
${how}`,
  );
}

function listOf(agents: readonly string[]): Html {
  const items = agents.map((name) => html`<li><a href="/terminal/?arg=nest-${name}">${name}</a></li>`);
  return html`<ul>${items}</ul>`;
}
