import { expect } from "vitest";
import type { Opened } from "./chromium.ts";
import { scriptsOf } from "./nest-in-browser.ts";

/**
 * The most compressed script that a page of the hub may load before it works, in KB: a few percent above what it does. Who adds to a page
 * loads it after a click (`web/src/shared/lazy/`), or raises the number and says why.
 */
export const mostScriptOfHub = {
  "/operations": 148,
  "/tasks/:id": 112,
  "/issues/:id": 108,
  "/issues": 164,
  "/tasks": 157,
  "/settings": 135,
  "/contributors": 153,
  "/contributors/:id": 164,
  "/numbers": 147,
  "/alerts": 107,
  "/audit": 157,
  "/tokens": 123,
  "/me": 121,
  "/my-nests": 161,
  "/my-nests/new": 122,
  "/my-nests/:id": 162,
  "/my-nests/:id/no-access": 105,
  "/clusters": 152,
  "/users": 125,
} as const;

/** The same for the pages of a nest. */
export const mostScriptOfNest = {
  "/overview": 126,
  "/agents": 154,
  "/queue": 158,
  "/runs": 152,
  "/ledger": 161,
  "/activity": 113,
  "/audit": 118,
  "/settings": 131,
  "/health": 101,
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
