import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from "playwright-core";
import { onTestFailed } from "vitest";

/** Where the documents have their pictures. */
const IMAGES = join(import.meta.dirname, "../../docs/images");
const CHROMIUM = "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Whether no browser is installed. Prints that once; throws on a build machine. */
export function isChromiumMissing(what: string): boolean {
  const missing = !existsSync(CHROMIUM);
  if (missing && process.env.CI === "true") throw new Error(`${CHROMIUM} is missing`);
  if (missing) console.log(`skipped: ${what} need ${CHROMIUM}`);
  return missing;
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Everything that went wrong in the page: thrown, refused by its policy, not loaded, warned of. */
  readonly faults: string[];
}

/** A page in a browser of its own, with what went wrong in it. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions & {
    readonly cookies?: readonly { readonly name: string; readonly value: string }[];
  } = {},
): Promise<Opened> {
  const { cookies = [], ...more } = options;
  // With reduced motion dialogs open and close at once.
  const context = await browser.newContext({ reducedMotion: "reduce", ...more });
  // Shorter than a test's own time, so that a step that waits in vain is named.
  context.setDefaultTimeout(25_000);
  await context.addCookies(cookies.map((cookie) => ({ ...cookie, url: new URL(url).origin })));
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (thrown) => faults.push(String(thrown)));
  page.on("console", (said) => {
    if (said.type() === "error" || said.type() === "warning")
      faults.push(`${said.text()} ${said.location().url}`.trim());
  });
  page.on("dialog", (dialog) => {
    faults.push(`a dialog opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  tellWhenTestFails(page, faults);
  await page.goto(url);
  return { page, context, faults };
}

/** Prints what a page shows, what it still waits for and what went wrong in it, if the test that opened it fails. */
function tellWhenTestFails(page: Page, faults: readonly string[]): void {
  const pending = new Set<Request>();
  page.on("request", (request) => pending.add(request));
  page.on("requestfinished", (request) => pending.delete(request));
  page.on("requestfailed", (request) => {
    pending.delete(request);
    if (!page.isClosed()) failed.push(`${request.url()} ${request.failure()?.errorText}`);
  });
  const failed: string[] = [];
  try {
    onTestFailed(async () => {
      if (page.isClosed()) return;
      const shown = await page.locator("body").innerText({ timeout: 1000 }).catch(String);
      const waitsFor = [...pending].map((request) => request.url());
      console.error(`${page.url()} shows`, shown.slice(0, 1000), { waitsFor, failed, faults });
    });
  } catch {
    // Opened outside of a test: then nobody tells.
  }
}

/** What is wrong with a page's navigation: it is one row, and the page where one is stands in sight. */
export async function navigationFaults(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const row = document.querySelector(".bar nav ul");
    if (row === null) return ["no navigation"];
    const edge = row.getBoundingClientRect();
    const here = row.querySelector("[aria-current]")?.getBoundingClientRect();
    const tops = new Set([...row.children].filter((one) => !one.hidden).map((one) => Math.round(one.getBoundingClientRect().top)));
    return [
      ...(tops.size > 1 ? ["the navigation has " + tops.size + " rows"] : []),
      ...(here !== undefined && (here.left < edge.left - 1 || here.right > edge.right + 1) ? ["the current page is out of sight"] : []),
    ];
  })()`);
}

/** The choices of a page that are too narrow for what they show. */
export async function clippedChoices(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const canvas = document.createElement("canvas").getContext("2d");
    return [...document.querySelectorAll("input[aria-haspopup=listbox]")].map((one) => [one, one.value || one.placeholder]).filter(([one, text]) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(one);
      canvas.font = font;
      return canvas.measureText(text).width > one.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) + 1;
    }).map(([, text]) => text);
  })()`);
}

/** Whether `NEST_UPDATE_IMAGES=1` asks for new pictures in the documents. */
const wantsPictures = process.env.NEST_UPDATE_IMAGES === "1";
/** When a hub's clock starts that is seen in pictures: now, as the browser's, where there are any. */
export const pictureTime = wantsPictures ? { startsAt: Date.now() } : {};

/** Takes a picture for the documents, where they want new ones. */
export async function pictureFor(page: Page, name: string): Promise<void> {
  if (!wantsPictures) return;
  await mkdir(IMAGES, { recursive: true });
  await page.screenshot({ path: join(IMAGES, `${name}.png`), animations: "disabled" });
}
