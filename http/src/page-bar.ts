import type { NavigationEntry } from "@nest/protocol";
import { type Html, html } from "./html.ts";

// Parts of the bar at the top of every page that a server makes, as the browser app has them (web/src/shared/shell/header.tsx).

/** The name at the left, which leads to the first page. */
export const barBrand = html`<a class="brand" href="/"><svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true"><path d="M2 7a6 6 0 0 0 12 0"/><circle cx="8" cy="5" r="2"/></svg>Nest</a>`;

/** With more entries than this the navigation has a line of its own where the window is not wide, as in the browser app. */
const MANY = 7;

/** The navigation; `more` are entries behind the others. */
export function barNavigation(
  entries: readonly NavigationEntry[],
  isHere: (entry: NavigationEntry) => boolean,
  more?: readonly Html[],
): Html {
  const isMany = entries.length > MANY ? html` data-many="true"` : undefined;
  const items = entries.map((entry) => {
    const current = isHere(entry) ? html` aria-current="page"` : undefined;
    return html`<li><a href="${entry.address}"${current}>${entry.name}</a></li>`;
  });
  return html`<nav aria-label="Pages"${isMany}><ul>${items}${more}</ul></nav>`;
}

/** Where `/assets/still-there.js` says that the server does not answer any more. */
export function offlinePlace(server: "hub" | "nest"): Html {
  return html`<div id="offline" class="offline" role="status" aria-live="polite" data-server="${server}"></div>`;
}

/** The choice of colours; `/assets/colour-scheme.js` makes it work. */
export const schemeSwitch = html`<label class="scheme-switch">
${schemeIcon("auto", "M3 5a1 1 0 0 1 1-1h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1zM7 20h10M9 16v4M15 16v4")}
${schemeIcon("light", "M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0M3 12h1m8-9v1m8 8h1m-9 8v1M5.6 5.6l.7.7m12.1-.7l-.7.7m0 11.4l.7.7m-12.1-.7l-.7.7")}
${schemeIcon("dark", "M12 3h.4a7.5 7.5 0 0 0 7.9 12.4A9 9 0 1 1 12 3z")}
<select aria-label="Colours"><option value="auto">As the system</option><option value="light">Light</option><option value="dark">Dark</option></select>
</label>`;

function schemeIcon(name: string, path: string): Html {
  return html`<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" data-icon="${name}"><path d="${path}"/></svg>`;
}
