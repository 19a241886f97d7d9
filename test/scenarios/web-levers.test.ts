import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isChromiumMissing } from "../harness/chromium.ts";
import { hubInBrowser } from "../harness/hub-in-browser.ts";
import { of, RawRelay } from "../harness/raw-relay.ts";

const missing = isChromiumMissing("the hub's browser app in a browser");
const CONFIG = "/api/config/governor/hub";

describe.skipIf(missing)("the levers of the hub's browser app", () => {
  const at = hubInBrowser({ issues: 6 });

  /** The keys of the issues on offer, as the page shows them. */
  function shownKeys(page: Page): Promise<string[]> {
    return page.locator("#queue .queue-row .labelled > span:first-child").allTextContents();
  }

  test("suspend: a relay's ready is answered contribution_suspended at once, and undo gives it work again", async () => {
    const relay = await at.hub.relay("alice");
    const { page, context, faults } = await at.open("/operations");
    await page.getByRole("switch", { name: "Hand out work" }).click({ force: true });
    await page.getByText("Suspended: no relay is given work now.").waitFor();
    expect((await relay.refused()).reason).toBe("contribution_suspended");
    await page.getByText("Handing out is suspended.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone.").waitFor();
    expect((await relay.ready()).number).toBe(1);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("hold: the issue is not offered and stands among the withheld with its reason, until it is let go", async () => {
    const relay = await at.hub.relay("alice");
    const { page, context, faults } = await at.open("/operations");
    await page.getByRole("button", { name: "Hold acme/one#1" }).click();
    await page.getByLabel("Why").fill("needs a decision");
    // A click beside the dialog loses nothing of it.
    await page.mouse.click(5, 5);
    expect(await page.getByLabel("Why").inputValue()).toBe("needs a decision");
    await page.getByRole("button", { name: "Hold back" }).click();
    await page.getByText("acme/one#1 is held back.").waitFor();
    expect((await relay.ready()).number).toBe(2);
    await page
      .locator("#queue")
      .getByText(/^Withheld/)
      .click();
    await page.getByText("held by an operator 1").click();
    await page.getByText("boss holds it back (needs a decision)").waitFor();
    await page.getByRole("button", { name: "Let go: acme/one#1" }).press("Enter");
    await expect.poll(() => at.hub.withheld(1)).toBeUndefined();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("offer again: a quarantine is ended for one issue, and for all that wait for it once that was confirmed", async () => {
    for (const login of ["alice", "bob", "carol"]) {
      const relay = await at.hub.relay(login);
      const task = await relay.ready();
      relay.send({ type: "task_accepted", ...of(task) });
      relay.send({ type: "task_failed", ...of(task), reason: "no CLI", permanent: true });
      await relay.next("task_ack");
    }
    const { page, context, faults } = await at.open("/operations");
    await page
      .locator("#queue")
      .getByText(/^Withheld/)
      .click();
    await page.getByText("failed repeatedly 3").click();
    await page.getByRole("button", { name: "Offer again: acme/one#2" }).click();
    await page.getByRole("dialog").getByText("This cannot be undone").waitFor();
    await page.getByRole("button", { name: "Lift the quarantine" }).click();
    await expect.poll(() => at.hub.withheld(2)).toBeUndefined();
    expect(at.hub.withheld(1)).toBe("quarantined");
    await page.getByRole("button", { name: "Offer again: acme/one#2" }).waitFor({ state: "detached" });
    const focused = () => page.evaluate("document.activeElement.closest('[data-index]')?.dataset.index");
    await expect.poll(focused).toBe("1");
    await page.getByRole("button", { name: "Offer all 2 again…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Offer them again" }).click();
    await expect.poll(() => at.hub.actionable()).toBe(6);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("order: an issue moved by keys is handed out in its new place, and one dragged by its handle too", async () => {
    const relay = await at.hub.relay("alice");
    await at.hub.admin("PUT", "/api/contributors/alice/trust", { tier: "trusted" });
    const { page, context, faults } = await at.open("/operations");
    const handle = page.getByRole("button", { name: "Move acme/one#4, number 4" });
    await handle.focus();
    await page.keyboard.press("Space");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowUp");
    await expect.poll(async () => (await shownKeys(page))[0]).toBe("acme/one#4");
    await page.keyboard.press("Space");
    await page.getByText("acme/one#4 is number 1 now.").waitFor();
    await expect.poll(async () => (await shownKeys(page)).slice(0, 2)).toEqual(["acme/one#4", "acme/one#1"]);

    const from = await page.getByRole("button", { name: "Move acme/one#6, number 6" }).boundingBox();
    const to = await page.getByRole("button", { name: "Move acme/one#1, number 2" }).boundingBox();
    await page.mouse.move(from!.x + 8, from!.y + 20);
    await page.mouse.down();
    await page.mouse.move(to!.x + 8, to!.y + 20, { steps: 8 });
    await page.waitForTimeout(100);
    await page.mouse.up();
    await page.getByText("acme/one#6 is number 2 now.").waitFor();
    const given = [await relay.ready()];
    relay.send({ type: "task_accepted", ...of(given[0]!) });
    relay.send({ type: "task_complete", ...of(given[0]!), result: "completed" });
    given.push(await relay.ready());
    expect(given.map(({ number }) => number)).toEqual([4, 6]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a move given up by Escape changes nothing", async () => {
    const { page, context } = await at.open("/operations");
    await page.getByRole("button", { name: "Move acme/one#3, number 3" }).focus();
    for (const key of ["Space", "ArrowUp", "Escape"]) await page.keyboard.press(key);
    await expect.poll(() => shownKeys(page)).toEqual([1, 2, 3, 4, 5, 6].map((number) => `acme/one#${number}`));
    expect((await at.hub.admin("GET", "/api/contribute/queue/order")).body).toMatchObject({ order: [] });
    await context.close();
  });

  test("filters: what a pattern would match is told while one types, what changes is shown before it is saved, and then it holds", async () => {
    at.hub.codeHost.setIssue({ repo: "acme/one", number: 9, title: "chore: tidy up" });
    await at.hub.admin("POST", "/api/contribute/queue/refresh");
    const { page, context, faults } = await at.open("/settings");
    const titles = page.getByLabel("Titles to leave out");
    await titles.fill("/(unclosed/");
    await page.locator(".mantine-Textarea-error", { hasText: /^line 1: / }).waitFor();
    expect(await page.getByRole("button", { name: "Review and save" }).isDisabled()).toBe(true);
    expect(at.hub.withheld(9)).toBeUndefined();
    await titles.fill("chore:*");
    await page.locator('.preview[data-key="contribute_deny_titles"]').getByText("Matches 1 of 7 open issues").waitFor();
    await page.getByRole("button", { name: "Review and save" }).click();
    const review = page.getByRole("dialog", { name: "What changes" });
    await expect.poll(() => review.locator("ins").allTextContents()).toEqual(["chore:*"]);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved. It is in force now.").waitFor();
    expect(at.hub.withheld(9)).toBe("title_filter");
    expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
    await context.close();
  });

  test("tiers and models: a tier switched off is given nothing, and a model that nobody accepts is refused at connect", async () => {
    const relay = await at.hub.relay("alice", { model: "claude-one" });
    const { page, context, faults } = await at.open("/settings");
    await page.getByRole("switch", { name: "Tier newcomer is given work" }).click({ force: true });
    await page.getByRole("button", { name: "Accept claude-*" }).click();
    await page.getByRole("switch", { name: "Reject other models at connect" }).click({ force: true });
    await page
      .locator('.preview[data-key="contribute_allow_models"]')
      .getByText("Matches 1 of 1 connected relays")
      .waitFor();
    await page.getByLabel("Per hour").nth(1).fill("7");
    await page.getByText("4 unsaved changes").waitFor();
    await page.getByRole("button", { name: "Review and save" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved. It is in force now.").waitFor();
    expect((await relay.refused()).reason).toBe("tier_disabled");
    expect((await at.hub.admin("GET", CONFIG)).body).toMatchObject({
      tier_limits: { contributor: { max_per_hour: 7, max_per_day: 50 } },
    });
    const { registration_token } = await at.hub.register("bob");
    const other = new RawRelay(at.hub.socket);
    await other.next("auth_challenge");
    other.send({ type: "auth_response", registration_token, cli_backend: "x", model: "gpt-9" });
    expect((await other.next("auth_failed")).accepted_models).toEqual(["claude-*"]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("two admins at once: what only one changed is taken over, what both changed is chosen, and nothing is lost unseen", async () => {
    const { page, context } = await at.open("/settings");
    const labels = page.getByLabel("Labels to leave out");
    await labels.fill("mine");
    await at.hub.admin("PUT", CONFIG, { contribute_deny_labels: ["theirs"], contribute_trusted_at: 9 });
    await page.getByText("was changed by another admin as well").waitFor({ timeout: 10_000 });
    await page.getByText("Another admin has just changed pull requests to become trusted").waitFor();
    expect(await page.getByLabel("Verified pull requests to become trusted").inputValue()).toBe("9");
    expect(await labels.inputValue()).toBe("mine");
    await page.getByRole("button", { name: "Take theirs" }).click();
    expect(await labels.inputValue()).toBe("theirs");
    expect(await page.getByText("unsaved change", { exact: false }).count()).toBe(0);
    await page.getByRole("button", { name: "Understood" }).click();
    expect(await page.getByRole("region", { name: "Unsaved changes" }).count()).toBe(0);
    await context.close();
  });

  test("unsaved changes are asked about before one leaves", async () => {
    const { page, context } = await at.open("/settings");
    await page.getByRole("textbox", { name: "Announcement" }).fill("draft");
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByRole("button", { name: "Stay" }).click();
    expect(await page.getByRole("textbox", { name: "Announcement" }).inputValue()).toBe("draft");
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    await context.close();
  });

  test("requeue: the relay is told task_revoke, and the audit shows who took what", async () => {
    const relay = await at.hub.relay("alice");
    const task = await relay.ready();
    relay.send({ type: "task_accepted", ...of(task) });
    const { page, context, faults } = await at.open("/operations");
    await page.locator("#relays").getByRole("button", { name: "alice" }).click();
    await page.getByRole("button", { name: "Take the task back" }).click();
    await page.getByRole("button", { name: "Take it back" }).click();
    expect((await relay.next("task_revoke")).task_id).toBe(task.task_id);
    await page.keyboard.press("Escape");
    await page.goto(`${at.hub.url}/audit?q=requeue`);
    await expect
      .poll(() => page.locator(".audit-row").first().textContent(), { timeout: 10_000 })
      .toMatch(/boss.*took back the task of.*alice acme\/one#1/);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("disconnect: this one socket is cut and no other, and the relay goes on with its task when it is back", async () => {
    const relay = await at.hub.relay("alice", { session: "one" });
    const other = await at.hub.relay("bob");
    const task = await relay.ready();
    relay.send({ type: "task_accepted", ...of(task) });
    const { page, context } = await at.open("/operations");
    await page.locator("#relays").getByRole("button", { name: "alice" }).click();
    await page.getByRole("dialog", { name: "alice" }).getByRole("button", { name: "Disconnect" }).click();
    await page
      .getByRole("dialog", { name: "Disconnect this relay?" })
      .getByRole("button", { name: "Disconnect" })
      .click();
    expect(await relay.closed).toEqual({ code: 1008, reason: "disconnected by an operator" });
    const again = await RawRelay.join(at.hub.socket, relay.token, { session: "one" });
    again.send({ type: "task_accepted", ...of(task) });
    again.send({ type: "task_progress", ...of(task), repo: task.repo, number: task.number });
    expect(await again.pending("task_revoke")).toEqual([]);
    expect(await other.pending()).toEqual([]);
    const audit = (await at.hub.admin("GET", "/api/audit?q=disconnected")).body;
    expect(audit).toMatchObject({ audit: [{ actor: "boss", subject: expect.stringContaining("alice conn-") }] });
    await context.close();
  });

  test("revoke: named to confirm, told what follows; the live socket closes; access is given again with a reason that they are told", async () => {
    const relay = await at.hub.relay("alice");
    const { page, context, faults } = await at.open("/contributors/alice");
    await page.getByRole("button", { name: "Revoke access…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("They stay out until an admin gives access again").waitFor();
    expect(await dialog.getByRole("button", { name: "Revoke access" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Type alice to confirm").fill("alice");
    await dialog.getByRole("button", { name: "Revoke access" }).click();
    expect((await relay.closed).code).toBe(1008);
    await page.getByRole("button", { name: "Give access again…" }).click();
    expect(await dialog.getByRole("button", { name: "Give access again" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Why").fill("it was another account");
    await dialog.getByRole("button", { name: "Give access again" }).click();
    await page.locator("#messages").getByText("your access was restored: it was another account").waitFor();
    expect((await (await RawRelay.join(at.hub.socket, relay.token)).ready()).number).toBeGreaterThan(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("promote and demote: what follows is said before, and the tier holds at once", async () => {
    const relay = await at.hub.relay("alice");
    const { page, context } = await at.open("/contributors/alice");
    const choose = async (tier: string) => {
      await page.getByRole("combobox", { name: "Trust tier" }).click();
      await page.getByRole("option", { name: tier, exact: true }).click();
    };
    await choose("trusted");
    await page.getByRole("button", { name: "Promote to trusted" }).click();
    await page.getByRole("button", { name: "Promote", exact: true }).click();
    expect((await relay.next("notice")).message).toBe("your trust tier is now trusted");
    await page.getByText("alice is trusted now.").waitFor();
    await choose("newcomer");
    await page.getByRole("button", { name: "Demote to newcomer" }).click();
    await page.getByText("counting begins anew").waitFor();
    await page.getByRole("button", { name: "Demote", exact: true }).click();
    expect((await relay.next("notice")).message).toBe("your trust tier is now newcomer");
    await context.close();
  });

  test("announce: every relay is told at once and the public page shows it, until it is taken back", async () => {
    const relay = await at.hub.relay("alice");
    const { page, context, faults } = await at.open("/operations");
    await page.locator("#main").getByRole("button", { name: "Announce" }).click();
    await page.getByLabel("What relays and visitors are told").fill("Maintenance at noon");
    await page.keyboard.press("Control+Enter");
    expect((await relay.next("notice")).message).toBe("Maintenance at noon");
    await page.locator(".notice", { hasText: "Announced: Maintenance at noon" }).waitFor();
    expect((await at.hub.call("GET", "/contribute")).body).toContain('<p class="notice">Maintenance at noon');
    await page.locator("#main").getByRole("button", { name: "Announce" }).click();
    await page.getByLabel("What relays and visitors are told").fill("");
    await page.getByRole("button", { name: "Take it back" }).click();
    await expect
      .poll(async () => (await at.hub.call("GET", "/contribute")).body)
      .not.toContain('<p class="notice">Maintenance at noon');
    await page.locator(".undoable", { hasText: "taken back" }).getByRole("button", { name: "Undo" }).click();
    await page.locator(".notice", { hasText: "Announced: Maintenance at noon" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("to number N by the menu, and the whole order given up", async () => {
    const { page, context } = await at.open("/operations");
    await page.getByRole("button", { name: "More for acme/one#6" }).click();
    await page.getByRole("menuitem", { name: "Move to number…" }).click();
    await page.getByLabel("To number").fill("600");
    await page.getByText("a number from 1 to 6: so many are on offer").waitFor();
    expect(await page.getByRole("button", { name: "Move", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("To number").fill("2");
    await page.getByText("2 issues will be pinned to the front, 0 are now.").waitFor();
    await page.getByRole("button", { name: "Move", exact: true }).click();
    await page.getByText("acme/one#6 is number 2 now.").waitFor();
    const order = async () => (await at.hub.admin("GET", "/api/contribute/queue/order")).body;
    expect(await order()).toMatchObject({ order: ["acme/one#1", "acme/one#6"] });
    await page.getByRole("button", { name: "2 pinned issues: unpin…" }).click();
    await page.getByRole("button", { name: "Unpin all" }).click();
    await expect.poll(order).toMatchObject({ order: [] });
    await page.getByRole("button", { name: /unpin…/ }).waitFor({ state: "detached" });
    await context.close();
  });

  test("an order that another admin changed meanwhile is not undone: the page says what is different, and shows it", async () => {
    const order = "/api/contribute/queue/order";
    await at.hub.admin("PUT", order, { order: ["acme/one#6"] });
    const { page, context } = await at.open("/operations");
    await page.getByRole("button", { name: "1 pinned issue: unpin…" }).click();
    await at.hub.admin("POST", `${order}/first`, { keys: ["acme/one#5"] });
    await page.getByRole("button", { name: "Unpin all" }).click();
    await page.getByText("admin-token changed which issues are pinned since they were read").waitFor();
    await page.getByText("pinned meanwhile: acme/one#5").waitFor();
    expect((await at.hub.admin("GET", order)).body).toMatchObject({ order: ["acme/one#5", "acme/one#6"] });
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "2 pinned issues: unpin…" }).waitFor();
    await context.close();
  });

  test("roles: what an admin sets is the role that the relay works in", async () => {
    await at.hub.register("alice");
    const { page, context } = await at.open("/contributors/alice");
    await page.getByRole("combobox", { name: "Role of their relays" }).click();
    await page.getByRole("option", { name: "quality" }).click();
    await page.getByText("The roles of alice were changed.").waitFor();
    await page.getByRole("checkbox", { name: "sec-check" }).check();
    await expect
      .poll(async () => (await at.hub.admin("GET", "/api/contributors/alice")).body)
      .toMatchObject({ contributor: { assigned_agent_role: "quality", agent_role_grants: ["sec-check"] } });
    await context.close();
  });
});
