import { createHash } from "node:crypto";
import { Html, html } from "@nest/http";

const STYLE = `
:root { color-scheme: light dark; --ink: #1f2328; --dim: #59636e; --line: #d1d9e0; --ground: #fff; --soft: #f6f8fa;
  --link: #0550ae; --open: #1a7f37; --done: #8250df; --shut: #cf222e; --add: #dafbe1; --del: #ffebe9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9198a1; --line: #3d444d; --ground: #0d1117;
  --soft: #151b23; --link: #79b8ff; --open: #56d364; --done: #c297ff; --shut: #ff8178; --add: #12361f; --del: #471a1c; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--ground); font: 16px/1.5 system-ui, sans-serif; }
header, main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
header { border-bottom: 1px solid var(--line); color: var(--dim); }
a { color: var(--link); } a:focus-visible, button:focus-visible, input:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; }
ul.list { list-style: none; padding: 0; border: 1px solid var(--line); border-radius: 8px; }
ul.list li { padding: .6rem .9rem; border-top: 1px solid var(--line); } ul.list li:first-child { border-top: 0; }
.dim { color: var(--dim); font-size: .9rem; }
.label { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem; font-size: .8rem; white-space: nowrap; }
.state { font-weight: 600; } .open { color: var(--open); } .merged { color: var(--done); } .closed { color: var(--shut); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); border-radius: 8px; padding: .9rem; background: var(--soft); }
pre { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; padding: .6rem 0; background: var(--soft); font: 13px/1.45 ui-monospace, monospace; }
pre span { display: block; padding: 0 .9rem; min-height: 1.45em; } pre .add { background: var(--add); } pre .del { background: var(--del); } pre .at { color: var(--dim); }
input, button { font: inherit; padding: .4rem .7rem; margin: .2rem 0; }
`;

/** Only the page's own style, by its digest; no script, no frame, nothing from elsewhere. */
export const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256")
  .update(STYLE)
  .digest("base64")}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** A whole page. */
export function page(title: string, path: readonly Html[], content: Html): string {
  const trail = path.map((step) => html` / ${step}`);
  return `<!doctype html>${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><header><nav aria-label="Where you are"><a href="/">Local code host</a>${trail}</nav></header>
<main>${content}</main></body></html>`.text
  }`;
}
