import type { contribute, operations } from "@nest/protocol";
import { describe, expect, test } from "vitest";
import { isChromiumMissing, launchChromium } from "../harness/chromium.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { hubInBrowser } from "../harness/hub-in-browser.ts";
import { HubProcess } from "../harness/hub-process.ts";
import { buildApp } from "../harness/web-hub.ts";

const missing = isChromiumMissing("what the pages of the hub say when something goes wrong");
const CONFIG = "/api/config/governor/hub";
const LOW = { width: 1280, height: 700 };
const SILENCE = "00:35";

describe.skipIf(missing)("a page of the hub never lies", () => {
  const at = hubInBrowser({ issues: 12 });

  test("a switch moves when it is clicked, even while the stream still reports the old state, and moves back if the change failed", async () => {
    const { page, context } = await at.open("/operations", { viewport: LOW });
    const lever = page.getByRole("switch", { name: "Hand out work" });
    await lever.waitFor();
    let answer: () => void = () => {};
    await page.route(`**${CONFIG}`, async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.abort();
    });
    await lever.click({ force: true });
    expect(await lever.isChecked()).toBe(false);
    expect(await lever.getAttribute("aria-busy")).toBe("true");
    await at.hub.relay("alice");
    await page.locator("#relays").getByRole("button", { name: "alice" }).waitFor();
    expect(await lever.isChecked()).toBe(false);
    answer();
    await page.getByText("whether it was done is not confirmed").waitFor();
    await expect.poll(() => lever.isChecked()).toBe(true);
    await context.close();
  });

  test("a conflict is shown where Save is and blocks it until it is settled; then what was chosen is saved", async () => {
    const { page, context } = await at.open("/settings", { viewport: LOW });
    const labels = page.getByLabel("Labels to leave out");
    await labels.fill("mine");
    await page.getByLabel("Verified pull requests to become trusted").fill("30");
    await at.hub.admin("PUT", CONFIG, { contribute_deny_labels: ["theirs"] });
    const bar = page.getByRole("region", { name: "Unsaved changes" });
    await bar.getByText("was changed by another admin as well").waitFor();
    await at.hub.admin("PUT", CONFIG, { contribute_skip_trackers: false });
    await bar.getByText("Another admin has just changed").waitFor();
    expect(await bar.getByText("1 conflict to settle first").isVisible()).toBe(true);
    const { y = 0, height = 0 } = (await bar.boundingBox()) ?? {};
    expect(y >= 0 && y + height <= 700).toBe(true);
    expect(await bar.getByRole("button", { name: "Review and save" }).isDisabled()).toBe(true);
    await bar.getByRole("button", { name: "Keep mine" }).click();
    await bar.getByRole("button", { name: "Review and save" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved. It is in force now.").waitFor();
    expect((await at.hub.admin("GET", CONFIG)).body).toMatchObject({
      contribute_deny_labels: ["mine"],
      contribute_trusted_at: 30,
      contribute_skip_trackers: false,
    });
    await context.close();
  });

  test("what a change does to the queue is said in numbers before it is saved, and a warning when it is nearly all", async () => {
    for (const number of [1, 2, 3])
      at.hub.codeHost.setIssue({ repo: "acme/one", number, title: `chore: sweep the floor ${number}` });
    await at.hub.admin("POST", "/api/contribute/queue/refresh");
    const { page, context, faults } = await at.open("/settings", { viewport: LOW });
    const titles = page.getByLabel("Titles to leave out");
    const review = async () => {
      await page.getByRole("button", { name: "Review and save" }).click();
      const dialog = page.getByRole("dialog", { name: "What changes" });
      await expect.poll(() => dialog.locator(".effect").textContent()).not.toMatch(/Counting/);
      const text = await dialog.locator(".effect").textContent();
      await dialog.getByRole("button", { name: "Go on editing" }).click();
      return text;
    };
    await titles.fill("chore:*");
    expect(await review()).toBe("3 issues leave the queue, 9 remain.");
    await titles.fill("*");
    await page.getByText("That is nearly all of them.").waitFor();
    expect(await review()).toBe("12 issues leave the queue, 0 remain. That is nearly the whole queue.");
    await titles.fill("/(unclosed/");
    await page.locator(".mantine-Textarea-error", { hasText: /^line 1: / }).waitFor();
    expect(await page.getByRole("button", { name: "Review and save" }).isDisabled()).toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("completed tasks are counted in one place: the live page, operations and the API say the same, and other endings apart", async () => {
    const endings = ["idle", "idle", "blocked", "no_work_needed"];
    for (const [nth, verdict] of endings.entries()) {
      const relay = await at.hub.relay(`worker-${nth}`);
      const { task_id, task_gen } = await relay.ready();
      relay.send({ type: "task_accepted", task_id, task_gen });
      relay.send({ type: "task_complete", task_id, task_gen, result: "completed", verdict });
      await relay.next("task_ack");
    }
    const { day } = (await at.hub.call("GET", "/api/contribute/metrics")).body as { day: operations.Done };
    expect(day).toEqual({ assigned: 4, completed: 2, no_work_needed: 1, blocked: 1, verified: 0, failed: 0 });
    const status = (await at.hub.call("GET", "/api/contribute/status")).body as contribute.StatusReply;
    expect(status.completed_day).toBe(2);
    const { page, context, faults } = await at.open("/operations", { viewport: LOW });
    const shown = page.locator("#throughput .legend");
    await expect.poll(() => shown.textContent()).toContain("Completed2Verified0No work needed1Blocked1");
    expect(await shown.textContent()).toContain("Success rate50 %");
    await page.goto(`${at.hub.url}/`);
    await expect.poll(() => page.locator("#count-done").textContent()).toBe("2");
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe.skipIf(missing)("a hub that stands still", () => {
  test("is noticed: every page says since when it heard nothing, and reconnects when the hub goes on", async () => {
    buildApp();
    await using folder = await FolderHere.make("frozen");
    // No code host answers; the hub runs nevertheless, and this test needs nothing more.
    await using frozen = await HubProcess.start({
      folder: folder.path,
      apiUrl: "http://127.0.0.1:9",
      repos: ["acme/one"],
      token: "token",
    });
    const browser = await launchChromium();
    try {
      const app = await browser.newPage();
      const live = await browser.newPage();
      for (const page of [app, live]) await page.clock.install();
      await app.goto(`${frozen.url}/operations`);
      await live.goto(frozen.url);
      const states = () =>
        Promise.all([app.locator(".connection-state"), live.locator("#link-state")].map((one) => one.textContent()));
      await expect.poll(states).toEqual(["live", "live"]);
      frozen.process.signal("SIGSTOP");
      try {
        for (const page of [app, live]) await page.clock.fastForward(SILENCE);
        await app.clock.fastForward("00:02");
        await app.getByText(/The hub has fallen silent\. Last heard at \d\d:\d\d:\d\d\./).waitFor();
        expect(await live.locator("#link-state").textContent()).toMatch(/^last heard \d\d:\d\d:\d\d$/);
      } finally {
        frozen.process.signal("SIGCONT");
      }
      await expect.poll(states).toEqual(["live", "live"]);
      expect(await app.getByText("The hub has fallen silent.").count()).toBe(0);
    } finally {
      await browser.close();
    }
  }, 60_000);
});
