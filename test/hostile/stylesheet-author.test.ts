import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { TestHub } from "../harness/hub.ts";

// Somebody spreads a link to the leaderboard that names a stylesheet of their own. It may change the look of the leaderboard only.
const missing = isChromiumMissing("stories of hostile stylesheets");
let browser: Browser;
beforeAll(async () => {
  if (!missing) browser = await launchChromium();
});
afterAll(() => browser?.close());

const COVER = "inset: 0; width: 300vw; height: 300vh; margin: -100vh; z-index: 2147483647; background: red";
const inside = "#leaderboard, .lead, table, .lead::before";

test.skipIf(missing).each([
  ["a variable for a keyword", `body { position: var(--p); --p: fixed; ${COVER} }`],
  ["the frame's own element, absolute", `#leaderboard { position: absolute; ${COVER} }`],
  ["elements inside, absolute", `.lead, table { position: absolute; ${COVER} }`],
  ["transforms", ".lead { transform: scale(1000); background: red; position: relative; z-index: 9 }"],
  ["shadows and outlines", "#leaderboard { box-shadow: 0 0 0 9999px red; outline: 9999px solid red }"],
  ["words before", ".lead::before { content: 'Sign in at evil'; position: absolute; font-size: 90vh; top: -50vh }"],
  [
    "animated covers",
    `@keyframes k { to { ${COVER}; position: fixed } } .lead { animation: k 1ms forwards; position: absolute }`,
  ],
  ["negative margins", "#leaderboard { margin: -2000px; padding: 4000px; background: red }"],
])("the header and the footer of the page stay on top and can be clicked: %s", async (_what, source) => {
  await using hub = await TestHub.start();
  hub.codeHost.addRepository("acme/site");
  hub.codeHost.files.set("acme/site/board.css@main", source);
  const plain = await openPage(browser, `${hub.url}/leaderboard`);
  const dressed = await openPage(browser, `${hub.url}/leaderboard?style=acme/site/board.css@main`);
  const header = (page: Page) => page.locator("header").first().screenshot();
  expect((await header(dressed.page)).equals(await header(plain.page))).toBe(true);
  expect(await coveredLinks(dressed.page)).toEqual([]);
  for (const { context } of [plain, dressed]) await context.close();
});

/** Links outside the leaderboard that are covered by something inside it. */
function coveredLinks(page: Page): Promise<string[]> {
  return page.evaluate(`
    const links = [...document.querySelectorAll("header a, footer a")].filter((link) => link.getClientRects().length > 0);
    const isCovered = (link) => {
      link.scrollIntoView({ block: "center" });
      const { x, y, width, height } = link.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2)?.closest("#leaderboard") != null;
    };
    links.filter(isCovered).map((link) => link.textContent);
  `);
}

test.skipIf(missing)("a harmless stylesheet takes effect", async () => {
  await using hub = await TestHub.start();
  hub.codeHost.addRepository("acme/site");
  const text = `${inside} { color: rgb(1, 2, 3) }`;
  hub.codeHost.files.set("acme/site/board.css@main", text);
  const { page, context } = await openPage(browser, `${hub.url}/leaderboard?style=acme/site/board.css@main`);
  expect(await page.evaluate(`getComputedStyle(document.querySelector(".lead")).color`)).toBe("rgb(1, 2, 3)");
  await context.close();
});
