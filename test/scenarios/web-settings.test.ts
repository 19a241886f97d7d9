import { describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing } from "../harness/chromium.ts";
import { hubInBrowser } from "../harness/hub-in-browser.ts";

const missing = isChromiumMissing("the queue settings in a browser");
const IS_MARKED_IN_SIGHT = `(() => {
  const { top, bottom } = document.querySelector(".setting[data-arrived]")?.getBoundingClientRect() ?? { top: -1, bottom: 0 };
  return top >= 0 && bottom <= innerHeight;
})()`;
const CONFIG = "/api/config/governor/hub";

describe.skipIf(missing)("the queue settings", () => {
  const at = hubInBrowser({ issues: 6 });

  const open = (options?: Parameters<typeof at.open>[1]) => at.open("/settings", options);
  const inForce = async () => (await at.hub.admin("GET", CONFIG)).body as Record<string, unknown>;

  test("are found by words; what is not the default says so, is shown alone, and goes back with one click and a save", async () => {
    await at.hub.admin("PUT", CONFIG, { contribute_cooldown_hours: 12, contribute_contributor_at: 9 });
    const { page, context, faults } = await open();
    const hours = page.getByRole("textbox", { name: "Hours a completed issue waits" });
    await hours.waitFor();
    await page.getByLabel("Search settings").fill("cooldown");
    await expect.poll(() => page.getByLabel("Suspend handing out").isVisible()).toBe(false);
    expect(await hours.isVisible()).toBe(true);
    expect(await page.getByRole("heading", { name: "Models" }).isVisible()).toBe(false);
    await page.getByLabel("Search settings").fill("no setting is called that");
    await page.getByText("No setting is like that.").waitFor();
    await page.getByLabel("Search settings").fill("");
    await page.getByLabel(/^Only what is not the default \(\d+\)$/).check();
    await expect.poll(() => page.getByRole("textbox", { name: "Announcement" }).isVisible()).toBe(false);
    expect(await hours.isVisible()).toBe(true);
    await page.getByText("Not the default, which is 168").waitFor();
    await page.getByRole("button", { name: "Back to it: the default of Hours a completed issue waits" }).click();
    await page.getByRole("button", { name: /^Review/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await inForce()).contribute_cooldown_hours).toBe(168);
    expect((await inForce()).contribute_contributor_at).toBe(9);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("of an earlier time are taken into the draft, reviewed with what that does, and saved as a change like any other", async () => {
    await at.hub.admin("PUT", CONFIG, { contribute_deny_titles: ["issue 1*"] });
    await at.hub.admin("PUT", CONFIG, { contribute_cooldown_hours: 12 });
    await at.hub.admin("PUT", CONFIG, { contribute_cooldown_hours: 13, contribute_announcement: "hello" });
    const { page, context, faults } = await open();
    await page.getByRole("button", { name: "History" }).click();
    const changes = page.locator("ol.history > li");
    await expect.poll(() => changes.count()).toBe(3);
    expect(await changes.nth(0).textContent()).toContain("hello");
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByRole("searchbox", { name: "Search settings" }).fill("tiers");
    await page.getByRole("button", { name: "History" }).click();
    expect(await seriousViolations(page)).toEqual([]);
    await changes.nth(1).getByRole("button", { name: "Take what was before this" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText(/^Taken into the page, and not saved yet: .*Hours a completed issue waits/).waitFor();
    await expect.poll(() => page.evaluate(IS_MARKED_IN_SIGHT)).toBe(true);
    expect(await page.getByRole("textbox", { name: "Hours a completed issue waits" }).inputValue()).toBe("168");
    await page.getByRole("button", { name: /^Review/ }).click();
    await page.getByText(/No issue leaves the queue/).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await inForce()).contribute_cooldown_hours).toBe(168);
    expect(await inForce()).toMatchObject({ contribute_announcement: "", contribute_deny_titles: ["issue 1*"] });
    const { audit } = (await at.hub.admin("GET", "/api/audit?action=queue+configuration")).body as { audit: object[] };
    expect(audit).toHaveLength(4);
    expect(audit[0]).toMatchObject({ actor: "boss", before: { contribute_cooldown_hours: 13 } });
    expect(faults).toEqual([]);
    await context.close();
  });

  test("fit a phone, with all that is not the default marked", async () => {
    const long = Array.from({ length: 12 }, (_, nth) => `a-long-label-that-never-ends-${nth}`);
    await at.hub.admin("PUT", CONFIG, { contribute_deny_labels: long, disabled_tiers: ["advisor"] });
    const { page, context } = await open({ viewport: { width: 360, height: 740 }, colorScheme: "dark" });
    await page.getByText("Not the default").first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(await seriousViolations(page)).toEqual([]);
    await context.close();
  });
});
