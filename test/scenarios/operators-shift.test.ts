import { NestError } from "@nest/kit";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isChromiumMissing, pictureFor, pictureTime } from "../harness/chromium.ts";
import { hubInBrowser } from "../harness/hub-in-browser.ts";
import { of } from "../harness/raw-relay.ts";

const missing = isChromiumMissing("an operator's shift in a browser");
const MINUTE = 60_000;

/** From what is told, to its cause, to what is done about it, to the audit; by links and buttons alone. */
describe.skipIf(missing)("an operator's shift", { timeout: 60_000 }, () => {
  const at = hubInBrowser({ issues: 20, ...pictureTime });

  const begin = async () => {
    const opened = await at.open("/operations", { viewport: { width: 1440, height: 1000 } });
    return { ...opened, wrong: opened.page.locator("#wrong") };
  };

  async function pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await at.hub.clock.advance(MINUTE);
      await at.hub.settled();
    }
  }

  /** The newest line of the audit, reached by the navigation. */
  async function lastAudited(page: Page): Promise<string> {
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Audit" }).click();
    return (await page.locator(".audit-row").first().textContent()) ?? "";
  }

  test("a backend that starts to fail: the alert, the failed tasks, one of them, its contributor, a pause, the audit", async () => {
    for (let nth = 0; nth < 12; nth += 1) {
      const relay = await at.hub.relay(`runner-${nth}`, { cli_backend: "codex" });
      const task = await relay.ready();
      relay.send({ type: "task_failed", ...of(task), reason: "401 from the model", failure_kind: "environment" });
      await relay.next("task_ack");
    }
    await pass(3);
    const { page, context, wrong } = await begin();
    await wrong.getByText("Most tasks fail").waitFor();
    await pictureFor(page, "shift-wrong-now");
    await wrong.getByRole("link", { name: "The tasks that failed" }).click();
    await page.getByRole("heading", { name: "Find tasks" }).waitFor();
    const failed = page.getByRole("listitem").filter({ hasText: "401 from the model" });
    await failed.getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: /acme\/one#\d+/ }).waitFor();
    expect(await page.locator("main").textContent()).toContain("codex");
    await page
      .locator("main")
      .getByRole("link", { name: /^runner-\d+$/ })
      .first()
      .click();
    await page.getByRole("heading", { level: 1, name: /runner-/ }).waitFor();
    await page.getByRole("button", { name: "Pause…" }).click();
    await page
      .getByRole("dialog")
      .getByRole("textbox", { name: /why|note/i })
      .fill("your codex login has expired");
    await pictureFor(page, "shift-pause");
    await page.getByRole("dialog").getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("button", { name: "End the pause" }).waitFor();
    expect(await lastAudited(page)).toMatch(/boss.*paused.*runner-/s);
    await context.close();
  });

  test("a code host that is away: the alert, the repositories, reading them again, and the end of it", async () => {
    at.hub.codeHost.failure = new NestError("codehost_unreachable", "nothing answers");
    await at.hub.hub.monitor.refresh();
    await pass(15);
    const { page, context, wrong } = await begin();
    await wrong.getByRole("link", { name: /^The repositories/ }).click();
    await page
      .locator("#repositories")
      .getByText(/nothing answers/)
      .waitFor();
    at.hub.codeHost.failure = undefined;
    await page.getByRole("button", { name: "Read code host" }).click();
    await page.locator("#repositories").getByText("20 open issues").waitFor();
    await pass(8);
    await page.reload();
    await page.locator("#queue").getByText("acme/one#1").first().waitFor();
    await expect.poll(() => wrong.count()).toBe(0);
    await context.close();
  });

  test("a contributor who harms: one of their tasks, their page, their access taken, their socket closed, the audit", async () => {
    const relay = await at.hub.relay("mallory");
    const task = await relay.ready();
    relay.send({ type: "task_complete", ...of(task), result: "completed", summary: "nothing was done" });
    await relay.next("task_ack");
    const { page, context } = await begin();
    await page.locator("#activity").getByRole("link", { name: "mallory" }).first().click();
    await page.getByRole("heading", { level: 1, name: /mallory/ }).waitFor();
    await page.getByRole("button", { name: "Revoke access…" }).click();
    await page.getByRole("dialog").getByLabel("Type mallory to confirm").fill("mallory");
    await page.getByRole("dialog").getByRole("button", { name: "Revoke access" }).click();
    expect((await relay.closed).code).toBe(1008);
    expect(await lastAudited(page)).toMatch(/boss.*mallory/s);
    await context.close();
  });

  test("a release of the relay: who runs another version, an announcement that every relay is told, the audit", async () => {
    const old = await at.hub.relay("olaf", { capabilities: { relay_protocol_version: "1.0" } });
    await at.hub.relay("nina", { capabilities: { relay_protocol_version: "1.2" } });
    const { page, context } = await begin();
    const relays = page.locator("#relays");
    await relays.getByText("olaf").first().waitFor();
    await relays.getByText("Outdated").click();
    await expect.poll(() => relays.getByText("nina").count()).toBe(0);
    await relays.getByText("olaf").first().waitFor();
    await page.getByRole("button", { name: "Announce" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("relay 0.2 is out: npm i -g");
    await page.getByRole("dialog").getByRole("button", { name: "Announce" }).click();
    expect(JSON.stringify(await old.next("notice"))).toContain("relay 0.2 is out");
    expect(await lastAudited(page)).toMatch(/boss.*relay 0\.2 is out/s);
    await context.close();
  });

  test("a flood of issues by one author: found by a facet, all held with the number said before, in the audit", async () => {
    for (let number = 101; number <= 130; number += 1)
      at.hub.codeHost.setIssue({
        repo: "acme/one",
        number,
        author: "flooder",
        title: `Buy this ${number}`,
        updatedAt: at.hub.clock.now(),
      });
    await at.hub.hub.monitor.refresh();
    const { page, context } = await begin();
    await page.getByRole("link", { name: "Find and act on many" }).click();
    await page.getByRole("combobox", { name: "Author" }).click();
    await page.getByRole("option", { name: "flooder (30)" }).click();
    await page.getByRole("button", { name: "Select all 30" }).click();
    await page.getByRole("button", { name: "Hold…" }).click();
    await page.getByRole("dialog").getByLabel("Why").fill("all of one kind; we ask the author first");
    await page.getByRole("dialog").getByRole("combobox", { name: "For how long" }).click();
    await page.getByRole("option", { name: "1 day" }).click();
    await pictureFor(page, "shift-flood");
    await page.getByRole("button", { name: "Hold 30 issues back" }).click();
    await expect.poll(() => at.hub.actionable()).toBe(20);
    expect(await lastAudited(page)).toMatch(/boss.*acme\/one#1\d\d.*until.*all of one kind/s);
    await context.close();
  });
});
