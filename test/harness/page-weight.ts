import { expect } from "vitest";
import type { Opened } from "./chromium.ts";
import { scriptsOf } from "./nest-in-browser.ts";

/**
 * The most compressed script that a page of the hub may load before it works, in KB: a few percent above what it does. Who adds to a page
 * loads it after a click (`web/src/shared/lazy/`), or raises the number and says why. One KB of each is `http/src/assets/app-start.js`.
 */
export const mostScriptOfHub = {
  "/operations": 149,
  "/tasks/:id": 113,
  "/issues/:id": 109,
  "/issues": 165,
  "/tasks": 158,
  "/settings": 136,
  "/contributors": 154,
  "/contributors/:id": 165,
  "/numbers": 148,
  "/alerts": 108,
  "/audit": 158,
  "/tokens": 124,
  "/me": 122,
  "/my-nests": 162,
  "/my-nests/new": 123,
  "/my-nests/:id": 163,
  "/my-nests/:id/no-access": 106,
  "/clusters": 153,
  "/users": 126,
} as const;

/** The same for the pages of a nest. */
export const mostScriptOfNest = {
  "/overview": 127,
  "/agents": 155,
  "/queue": 159,
  "/runs": 153,
  "/ledger": 162,
  "/activity": 114,
  "/audit": 119,
  "/settings": 132,
  "/health": 102,
} as const;

const KB = 1024;
/** No page does without the frame: less means that nothing was counted. */
const LEAST_KB = 60;

/** Waits until a page works, then holds what it has loaded against its limit in KB. */
export async function expectWeight(opened: Pick<Opened, "page">, path: string, mostKb: number): Promise<void> {
  const { page } = opened;
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  const waiting = page.getByRole("status", { name: "Waiting for an answer" });
  await expect.poll(() => waiting.count(), { timeout: 10_000 }).toBe(0);
  const kb = (await scriptsOf(opened)).bytes / KB;
  expect([path, kb > LEAST_KB, kb <= mostKb || `${kb.toFixed(1)} KB, more than ${mostKb}`]).toEqual([path, true, true]);
}
