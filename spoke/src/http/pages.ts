import type { FastifyReply } from "fastify";

/** No page of a spoke runs an inline script or loads anything from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sends an HTML page under the strict policy. */
export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .header("content-security-policy", POLICY)
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "no-referrer")
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(html);
}

/** Text made safe inside HTML, attributes included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The same little nest as on the hub's pages; without it browsers ask for a file that is not there. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 7a6 6 0 0 0 12 0' fill='none' stroke='%232f7d68' stroke-width='2.4' stroke-linecap='round'/%3E%3Ccircle cx='8' cy='5' r='2' fill='%232f7d68'/%3E%3C/svg%3E";

/** A whole page around `body`, which is HTML already. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/assets/spoke.css">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** The one stylesheet of both ports. */
export const STYLESHEET = `:root { color-scheme: light dark; --ground: #f7f7f5; --card: #fff; --ink: #1d1f23; --soft: #5d636e; --line: #e3e3df; --accent: #2f6f5e; --bad: #a83a2c; }
@media (prefers-color-scheme: dark) { :root { --ground: #131517; --card: #1b1e21; --ink: #e8e9ea; --soft: #9aa1ab; --line: #2c3035; --accent: #7cc4ae; --bad: #ee8d7f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: clamp(1.5rem, 6vw, 4rem) 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; letter-spacing: -0.015em; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: .95rem; margin: 0 0 .6rem; }
p { margin: 0 0 1rem; color: var(--soft); overflow-wrap: anywhere; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.1rem 1.25rem; margin: 1rem 0; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .4rem 1.25rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
ul { margin: 0; padding: 0; list-style: none; } li { padding: .35rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; } li:first-child { border-top: 0; }
small { color: var(--soft); font-size: .875rem; } .bad { color: var(--bad); }
a { color: var(--accent); text-underline-offset: .2em; } a:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 3px; }
button, input { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 8px; padding: .45rem .8rem; background: var(--ground); max-width: 100%; }
button { cursor: pointer; } button:hover:not(:disabled) { border-color: var(--accent); } button:disabled { opacity: .5; cursor: default; }
#make, #save { background: var(--accent); border-color: var(--accent); color: var(--card); } input { width: 36rem; } #encryption-key { font-family: ui-monospace, monospace; font-size: .875rem; }
button:focus-visible, input:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; } label { color: var(--ink); } progress { width: 100%; accent-color: var(--accent); } [hidden] { display: none; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .6rem; } }
`;
