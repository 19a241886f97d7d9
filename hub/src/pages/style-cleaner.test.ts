import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { cleanStyle, STYLE_BYTES } from "./style-cleaner.ts";

test.each([
  [".row { color: red }", "#leaderboard .row{color:red}"],
  [".a, #b > c { color: red }", "#leaderboard .a,#leaderboard #b>c{color:red}"],
  [":root { --x: 1px } body { margin: var(--x) }", "#leaderboard{--x:1px}#leaderboard{margin:var(--x)}"],
  ["html body .row { color: red }", "#leaderboard .row{color:red}"],
  ["body.dark .row { color: red }", "#leaderboard.dark .row{color:red}"],
  ["@media (width > 20rem) { .a { color: red } }", "@media (width>20rem){#leaderboard .a{color:red}}"],
  [
    "@supports (display: grid) { @media print { a { color: red } } }",
    "@supports (display:grid){@media print{#leaderboard a{color:red}}}",
  ],
  ["@keyframes spin { from { top: 0 } 50% { top: 1px } }", "@keyframes spin{from{top:0}50%{top:1px}}"],
  [
    ".a { background: linear-gradient(red, blue); width: calc(1px + 2%) }",
    "#leaderboard .a{background:linear-gradient(red,blue);width:calc(1px + 2%)}",
  ],
  [".a { background: url(data:image/png;base64,AAAA) }", "#leaderboard .a{background:url(data:image/png;base64,AAAA)}"],
  ["a[href^='x']:not(.b)::before { content: 'hi' }", '#leaderboard a[href^="x"]:not(.b)::before{content:"hi"}'],
])("%s becomes %s", (source, css) => {
  expect(cleanStyle(source)).toEqual({ css, dropped: 0, reasons: [] });
});

test.each([
  "@import url(https://evil.example/x.css);",
  "@import 'x.css';",
  "@\\69mport 'x.css';",
  "@font-face { font-family: x; src: url(https://evil.example/x.woff) }",
  "@charset 'utf-8';",
  "@namespace url(http://www.w3.org/1999/xhtml);",
  "@layer a { .b { color: red } }",
  "@property --x { syntax: '*'; inherits: false }",
  ".a { background: url(https://evil.example/x) }",
  ".a { background: url(//evil.example/x) }",
  ".a { background: url('/api/contribute/status') }",
  ".a { background: u\\72l(https://evil.example/x) }",
  ".a { background: URL(https://evil.example/x) }",
  ".a { --x: url(https://evil.example/x) }",
  ".a { --x: { background: url(https://evil.example/x) } }",
  ".a { background: image-set('https://evil.example/x' 1x) }",
  ".a { background: -webkit-image-set('https://evil.example/x' 1x) }",
  ".a { background: src('https://evil.example/x') }",
  ".a { background: url(data:image/svg+xml;base64,AAAA) }",
  ".a { width: expression(alert(1)) }",
  ".a { behavior: url(x.htc) }",
  ".a { -moz-binding: url(x.xml#y) }",
  ".a { content: '\\201c' }",
  ".\\61 { color: red }",
  ".a { position: fixed }",
  ".a { position: FIXED !important }",
  "body { position: var(--p); --p: sticky; inset: 0 }",
  ".a { position: var(--x, absolute) }",
  ".a { position: inherit }",
  ".a { POSITION: -webkit-sticky }",
  "@keyframes k { from { position: var(--p) } }",
  ".a { contain: none }",
  "body ~ footer { color: red }",
  ":root + x { color: red }",
  "html body ~ footer { color: red }",
  "#leaderboard ~ footer { display: none }",
  ".a { .b { color: red } }",
  "& ~ footer { color: red }",
  ".a { color: red } } footer { display: none",
  "@supports (background: url(https://evil.example/x)) { .a { color: red } }",
  "@media x\\79 { .a { color: red } }",
])("nothing of this gets through: %s", (source) => {
  const { css, dropped } = cleanStyle(source);
  expect(css).not.toMatch(/evil|url\(|import|\\|fixed|expression|behavior|binding|contain|^footer|\}footer|[~+&]/i);
  expect(dropped).toBeGreaterThan(0);
  for (const selector of css.matchAll(/([^{}]+)\{/g))
    expect(selector[1]).toMatch(/^(#leaderboard|@media|@supports|@keyframes|from)/);
});

test("selectors with :has() are few, however they are spelled", () => {
  const source = Array.from({ length: 30 }, (_, nth) => `.a${nth}:HAS(b) { color: red }`).join("");
  const { css, dropped } = cleanStyle(source);
  expect([css.match(/has/gi)?.length, dropped]).toEqual([10, 20]);
});

test("a comment swallows no rule", () => {
  expect(cleanStyle("/* { */ .a { color: red } /* } */ .b { color: blue }").css).toBe(
    "#leaderboard .a{color:red}#leaderboard .b{color:blue}",
  );
});

test.each([
  ["10 MB", ".a{color:red}".repeat(800_000)],
  ["blocks inside blocks", "@media all{".repeat(9000)],
  ["brackets inside brackets", `.a{width:${"(".repeat(60_000)}}`],
  ["a rule for every byte", "a{b:c}".repeat(Math.floor(STYLE_BYTES / 6))],
  ["one long selector", `${":not(.a)".repeat(12_000)}{color:red}`],
  ["many commas", `${"a,".repeat(60_000)}b{color:red}`],
  ["nothing but faults", "}{;".repeat(40_000)],
  ["declarations without a value", "a{:}".repeat(30_000)],
  ["no end", `.a{background:url(${"x".repeat(100_000)}`],
])("hostile stylesheets take little time: %s", (_name, source) => {
  const start = performance.now();
  cleanStyle(source);
  expect(performance.now() - start).toBeLessThan(3000);
});

test("a stylesheet of faults alone is given up whole, with the reason", () => {
  const { css, reasons } = cleanStyle(`.a{color:red}${"}{;".repeat(1000)}`);
  expect(css).toBe("");
  expect(reasons.at(-1)).toBe("the whole stylesheet: too many faults to go on");
});
