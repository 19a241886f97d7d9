import { hubAlertKinds } from "@nest/protocol";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allViolations, seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { NotificationReceivers } from "../harness/notification-receivers.ts";
import { WebHub } from "../harness/web-hub.ts";

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };
/** What is called the field that has the focus. */
const FOCUSED = "document.activeElement?.labels?.[0]?.firstChild?.textContent";
const SECRET = "a-key-to-sign-with-0123";

const missing = isChromiumMissing("the page of alerts in a browser");
describe.skipIf(missing)("the page of alerts", () => {
  let browser: Browser;
  let web: WebHub;
  let receivers: NotificationReceivers;
  beforeAll(async () => {
    browser = await launchChromium();
    receivers = await NotificationReceivers.open("unused");
    web = await WebHub.start({ issues: 3 });
  });
  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
    await receivers?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  test("adds a channel, saves its secret without showing it again, tests it, and removes it", async () => {
    const { page, context, faults } = await openPage(browser, `${web.hub.url}/alerts`, {
      viewport: desktop,
      cookies: web.admin,
    });
    await page.getByRole("button", { name: "Add a channel" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("team");
    await dialog.getByLabel("Address").fill(`${receivers.url}/alerts`);
    await dialog.getByLabel("Nothing is on offer").uncheck();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.locator("#channels").getByText("Nothing can be delivered yet: no secret saved").waitFor();
    await page.getByRole("button", { name: "Secret team" }).click();
    await page.getByRole("dialog").getByLabel("The key that signs").fill(SECRET);
    await page.getByRole("button", { name: "Save the secret" }).click();
    await page.locator("#channels").getByText("secret saved", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Test team" }).click();
    await page.getByText("team took the test message").waitFor();
    expect(receivers.at("/alerts")).toHaveLength(1);
    expect(await page.content()).not.toContain(SECRET);
    await page
      .locator("#channels")
      .getByText(`told of ${hubAlertKinds.length - 1} kinds`)
      .waitFor();
    await page.getByRole("button", { name: "Change team" }).click();
    expect(await page.getByRole("dialog").getByLabel("Address").inputValue()).toBe(`${receivers.url}/alerts`);
    await page.getByRole("dialog").getByLabel("Address").fill(`${receivers.url}/elsewhere`);
    await page.getByText("Its saved secret was given for the old place and is deleted").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => page.evaluate<string>(FOCUSED)).toContain("The key that signs");
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole("dialog").getByLabel("The key that signs").fill(`another-${SECRET}`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("team is saved.").waitFor();
    await page.getByRole("button", { name: "Test team" }).click();
    await expect.poll(() => receivers.at("/elsewhere").length).toBe(1);
    await page.getByRole("button", { name: "Remove team" }).click();
    await page.getByRole("button", { name: "Remove it" }).click();
    await page.getByText("Nobody is told of anything yet").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a form says at each field what is wrong with it, while one types, and leads to the first", async () => {
    const { page, context } = await openPage(browser, `${web.hub.url}/alerts`, { viewport: phone, cookies: web.admin });
    await page.getByRole("button", { name: "Add a channel" }).click();
    const dialog = page.getByRole("dialog");
    /** What is said of a field to people who hear it. */
    const saidOf = (label: string) =>
      page.evaluate<string>(`(() => {
        const field = [...document.querySelectorAll("[role=dialog] input")].find((one) => one.labels?.[0]?.firstChild?.textContent === "${label}");
        const ids = (field.getAttribute("aria-describedby") ?? "").split(" ");
        return field.getAttribute("aria-invalid") + " " + ids.map((id) => document.getElementById(id)?.textContent).join(" ");
      })()`);
    await dialog.getByLabel("Quiet hours", { exact: true }).fill("at night");
    await expect.poll(() => saidOf("Quiet hours")).toMatch(/^true .*two times of day such as 22:00-07:00/);
    await dialog.getByLabel("Name").fill("of the team!");
    await expect.poll(() => saidOf("Name")).toMatch(/^true .*letters, digits, - and _/);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => page.evaluate<string>(FOCUSED)).toContain("Name");
    await expect.poll(() => saidOf("Address")).toMatch(/^true .*This is needed/);
    await dialog.getByLabel("Name").fill("ops");
    await dialog.getByLabel("Quiet hours", { exact: true }).fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => page.evaluate<string>(FOCUSED)).toContain("Address");
    expect(await allViolations(page)).toEqual([]);
    await dialog.getByRole("combobox", { name: "Kind" }).click();
    await page.getByRole("option", { name: "E-mail" }).waitFor();
    expect(await allViolations(page)).toEqual([]);
    await context.close();
  });

  test("who saves second is told what was changed and by whom, and loses nothing that was typed", async () => {
    const channel = { kind: "ntfy", url: "https://ntfy.example.org/ops", events: ["queue_empty"] };
    await web.hub.admin("PUT", "/api/alerts/channels/shared", channel);
    const { page, context } = await openPage(browser, `${web.hub.url}/alerts`, {
      viewport: desktop,
      cookies: web.admin,
    });
    await page.getByRole("button", { name: "Change shared" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Minutes of a digest").fill("15");
    await dialog.getByLabel("Address").fill("https://ntfy.example.org/mine");
    const theirs = { ...channel, url: "https://ntfy.example.org/theirs", quiet_hours: "22:00-07:00" };
    await web.hub.admin("PUT", "/api/alerts/channels/shared", theirs);
    await dialog.getByRole("button", { name: "Save" }).click();
    const news = dialog.getByRole("alert");
    await news.getByText(/^Nothing was saved: admin-token changed shared meanwhile/).waitFor();
    await news.getByText("https://ntfy.example.org/theirs").waitFor();
    await news.getByText("You both changed: Address.").waitFor();
    expect(await dialog.getByLabel("Address").inputValue()).toBe("https://ntfy.example.org/mine");
    expect(await dialog.getByLabel("Quiet hours", { exact: true }).inputValue()).toBe("22:00-07:00");
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("shared is saved.").waitFor();
    const { channels } = (await web.hub.admin("GET", "/api/alerts")).body as {
      channels: { name: string; config: object }[];
    };
    expect(channels.find(({ name }) => name === "shared")?.config).toEqual({
      ...theirs,
      url: "https://ntfy.example.org/mine",
      digest_minutes: 15,
    });
    await web.hub.admin("DELETE", "/api/alerts/channels/shared");
    await context.close();
  });

  test.each([desktop, phone])("fits $width px, light and dark, and is found in the account menu", async (viewport) => {
    await web.hub.admin("PUT", "/api/alerts/channels/team", {
      ...{ kind: "ntfy", url: "https://ntfy.example.org/nest-of-the-team-with-a-long-name", events: ["queue_empty"] },
      quiet_hours: "22:00-07:00",
    });
    await web.hub.admin("PUT", "/api/alerts/channels/team/secret", { secret: SECRET });
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, context, faults } = await openPage(browser, `${web.hub.url}/operations`, {
        ...{ viewport, colorScheme, cookies: web.admin },
      });
      await page.getByRole("button", { name: /boss/ }).click();
      await page.getByRole("menuitem", { name: "Alerts" }).click();
      await page.locator("#channels").getByText("quiet 22:00-07:00").waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      const folder = process.env.NEST_TEST_SHOTS;
      if (folder !== undefined)
        await page.screenshot({ path: `${folder}/alerts-${viewport.width}-${colorScheme}.png` });
      await page.getByRole("button", { name: "Change team" }).click();
      await page.getByRole("dialog").getByLabel("Address").fill("https://ntfy.example.org/another-topic");
      await page.getByText("Its saved secret was given for the old place").waitFor();
      expect(await page.getByRole("button", { name: "Save", exact: true }).isEnabled()).toBe(true);
      if (folder !== undefined)
        await page.screenshot({ path: `${folder}/alerts-form-${viewport.width}-${colorScheme}.png`, fullPage: true });
      expect(faults).toEqual([]);
      await context.close();
    }
  });

  test("is for admins", async () => {
    const cookies = await web.visitor("ada");
    const { page, context } = await openPage(browser, `${web.hub.url}/alerts`, { viewport: desktop, cookies });
    await page.getByText("This is for admins of this hub").waitFor();
    await context.close();
  });
});
