import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { TestHub } from "../harness/hub.ts";

test("the page of the API names every route of the description, with its scope, and needs no script for that", async () => {
  await using hub = await TestHub.start();
  const { paths } = (await hub.call("GET", "/api/openapi.json")).body as { paths: Record<string, object> };
  const { status, headers, body } = await hub.call("GET", "/api/docs");
  expect([status, headers.get("content-security-policy")]).toEqual([
    200,
    expect.stringContaining("default-src 'none'"),
  ]);
  for (const path of Object.keys(paths)) expect(body).toContain(`<code>${path}</code>`);
  expect(body).toContain("an API token of the scope operate");
  expect(body).toContain("&quot;key&quot;: &quot;acme/api#12&quot;");
});

const missing = isChromiumMissing("the page of the API in a browser");
describe.skipIf(missing)("the page of the API", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test.each([
    [1440, "light"],
    [390, "dark"],
  ] as const)(
    "finds a route while one types, opens the one that the address names, at %i px in %s",
    async (width, scheme) => {
      await using hub = await TestHub.start();
      const { page, context, faults } = await openPage(browser, `${hub.url}/api/docs#post-api-contribute-queue-hold`, {
        viewport: { width, height: 900 },
        colorScheme: scheme,
      });
      await page.getByLabel("Example").filter({ hasText: '"reason"' }).first().waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      await page.getByRole("searchbox", { name: "Find a route" }).fill("audit read");
      await expect.poll(() => page.locator(".api-route:visible").count()).toBeLessThan(4);
      await page.getByText("GET /api/audit", { exact: false }).first().waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      expect(faults).toEqual([]);
      await context.close();
    },
  );
});
