import { describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing } from "../harness/chromium.ts";
import { nestInBrowser } from "../harness/nest-in-browser.ts";

const missing = isChromiumMissing("the settings of a nest in a browser");
const SECONDS = "Seconds between two readings";

describe.skipIf(missing)("the settings of a nest", () => {
  const { scene, open: openAt } = nestInBrowser();
  const open = (options: Parameters<typeof openAt>[1] = {}) => openAt("/settings", options);
  const inForce = async () => {
    const { config } = await scene().call<{ config: Record<string, Record<string, unknown>> }>("GET", "/api/config");
    return [config.governor?.eval_interval_s, config.project?.org];
  };

  test("two browsers that save one page: what both changed is settled by a person, and nothing is lost", async () => {
    const [mine, theirs] = [await open(), await open()];
    for (const { page } of [mine, theirs]) await page.getByLabel(SECONDS).waitFor();
    await theirs.page.getByLabel(SECONDS).fill("120");
    await theirs.page.getByRole("button", { name: "Review and save" }).click();
    await theirs.page.getByRole("dialog").getByText("120").waitFor();
    await theirs.page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await theirs.page.getByText(/^Saved here by ada/).waitFor();
    await mine.page.getByLabel(SECONDS).fill("90");
    await mine.page.getByRole("button", { name: "Review and save" }).click();
    await mine.page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await mine.page.getByText("was changed by another window or person as well").waitFor();
    await mine.page.getByText("Nothing was saved: another window or person saved meanwhile").waitFor();
    expect(await mine.page.locator(".toast").count()).toBe(0);
    expect((await inForce())[0]).toBe(120);
    await mine.page.getByRole("button", { name: "Keep mine" }).click();
    await mine.page.getByRole("button", { name: "Review and save" }).click();
    await mine.page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await inForce())[0]).toBe(90);
    for (const { context } of [mine, theirs]) await context.close();
  });

  test("a secret is never shown: neither the one in force nor, before saving, a new one", async () => {
    const { page, context } = await open();
    const token = page.getByLabel("Token", { exact: true });
    await expect.poll(() => token.inputValue()).toBe("");
    await token.fill("ghp_new_and_secret");
    await page.getByRole("button", { name: "Review and save" }).click();
    await page.getByRole("dialog").getByText("a new secret").waitFor();
    expect(await page.getByRole("dialog").innerText()).not.toContain("ghp_new_and_secret");
    await context.close();
  });

  test.each([1440, 390])("the page has no serious fault of accessibility and fits %d px", async (width) => {
    const { page, context, faults } = await open({ viewport: { width, height: 840 } });
    await page.getByLabel(SECONDS).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    expect(faults).toEqual([]);
    await context.close();
  });
});
