import { html } from "@nest/http";
import { page } from "./page.ts";

/** What the terminal port says while there is no terminal behind it. */
export function terminalPage(): string {
  return page(
    "Terminal · Nest",
    html`<h1>The terminal is not open here yet</h1>
<p>This release of the spoke runs no agents and offers no terminal; both come with a later one. The dashboard is on the
spoke's other port.</p>`,
  );
}
