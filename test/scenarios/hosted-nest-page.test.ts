import type { nests } from "@nest/protocol";
import { namespaceOf } from "@nest/protocol";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isChromiumMissing } from "../harness/chromium.ts";
import { hostedInBrowser } from "../harness/hosted-in-browser.ts";
import { aNest } from "../harness/hosted-scene.ts";

const missing = isChromiumMissing("the page of a hosted nest");
const signal = new AbortController().signal;
/** A page says after 30 s that nothing is heard; browsers give it a second or two to notice. */
const SILENCE = "00:31";
const HEARTBEAT = { authorization: "Bearer heartbeat-secret-of-the-tests" };

describe.skipIf(missing)("the page of a hosted nest", () => {
  const { scene, open } = hostedInBrowser();

  const read = async (id: string) => (await scene().hub.admin("GET", `/api/saas/nests/${id}`)).body as nests.NestDetail;
  const status = (page: Page) => page.locator("h1 .nest-status").textContent();

  test("steps are told as they happen, with what is waited for and why", async () => {
    scene().controllers.fates.set("localhost/nest-spoke:latest", {
      status: {
        phase: "Pending",
        containerStatuses: [
          {
            name: "nest",
            ready: false,
            restartCount: 0,
            state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } },
          },
        ],
      },
    });
    const { body } = await scene().as("ada", "POST", "/api/saas/nests", { ...aNest, project_name: "The shop" });
    const { id } = body as { id: string };
    const { page, context, faults } = await open("ada", `/my-nests/${id}`);
    await page.getByText("This nest is being made.").waitFor();
    const ready = page.locator("#steps li", { hasText: "Ready to answer" });
    await ready.getByText("under way").waitFor({ timeout: 15_000 });
    await ready
      .getByText(/image|pull/i)
      .first()
      .waitFor({ timeout: 15_000 });
    await expect.poll(() => page.locator(".connection-state").textContent()).toBe("live");
    expect(faults).toEqual([]);
    await context.close();
  }, 40_000);

  test("a nest is made while its page is looked at, and what was under way is said to be done", async () => {
    const { body } = await scene().as("ada", "POST", "/api/saas/nests", aNest);
    const { id } = body as { id: string };
    const { page, context } = await open("ada", `/my-nests/${id}`);
    await page.getByText(/^All \d+ steps are done\.$/).waitFor({ timeout: 20_000 });
    await expect.poll(() => status(page)).toBe("running");
    await page.getByRole("link", { name: "Open", exact: true }).waitFor();
    // Every step has words of its own.
    const { steps } = await read(id);
    const shown = await page.locator("#steps li b").allTextContents();
    expect(shown.filter((words) => steps.some(({ name }) => name === words))).toEqual([]);
    await context.close();
  }, 40_000);

  test("an error is said with its remedy, and tried again from the page", async () => {
    const id = await scene().create("ada", { github_token: undefined, auth_method: "app", app_id: "77" }, "error");
    const { page, context } = await open("ada", `/my-nests/${id}`);
    await page
      .getByRole("alert")
      .getByText(/^Provisioning failed, check hub logs: .*install the app/)
      .waitFor();
    await page
      .locator("#steps li", { hasText: "App installed" })
      .getByText(/install the app/)
      .waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
    await page.getByText("The hub tries again.").waitFor();
    await context.close();
  }, 30_000);

  test("a switch moves when it is clicked, and moves back when the hub did not take it", async () => {
    const id = await scene().create("ada");
    const { page, context } = await open("ada", `/my-nests/${id}`);
    const lever = page.getByRole("switch", { name: "Everybody sees that it exists" });
    await lever.click({ force: true });
    await page.getByText("Only people with a role see it now.").waitFor();
    expect(await lever.isChecked()).toBe(false);
    expect((await read(id)).is_public).toBe(false);
    let answer: () => void = () => {};
    await page.route("**/auto-upgrade", async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.abort();
    });
    const upgrades = page.getByRole("switch", { name: "Upgrade by itself" });
    await upgrades.click({ force: true });
    await expect.poll(() => upgrades.isChecked()).toBe(true);
    answer();
    await page.getByText("whether it was done is not confirmed").waitFor();
    await expect.poll(() => upgrades.isChecked()).toBe(false);
    await context.close();
  }, 30_000);

  test("pause, resume, upgrade and rename are asked for with what they do, and followed on the page", async () => {
    const id = await scene().create("ada");
    const { page, context, faults } = await open("ada", `/my-nests/${id}`);
    const act = async (name: string, yes = name) => {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: yes, exact: true }).click();
    };
    await scene().hub.call("POST", "/api/heartbeat", { nest_id: id }, HEARTBEAT);
    await page.reload();
    await page.getByText("online", { exact: true }).waitFor();
    await act("Pause");
    await page.getByText("This nest is paused: nothing of it runs, and its data is kept.").waitFor({ timeout: 15_000 });
    expect(await page.getByText("online", { exact: true }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Open", exact: true }).count()).toBe(0);
    await act("Resume");
    await expect.poll(() => status(page), { timeout: 15_000 }).toBe("running");
    await page.getByRole("button", { name: "Upgrade", exact: true }).waitFor();
    await act("Upgrade");
    await page.getByText("The upgrade has begun.").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Rename…" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Another name");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^Another name/ }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test("what somebody else began first is told, and the page shows the truth", async () => {
    const id = await scene().create("ada");
    const { page, context } = await open("ada", `/my-nests/${id}`);
    await page.getByRole("button", { name: "Upgrade", exact: true }).click();
    const yes = page.getByRole("dialog").getByRole("button", { name: "Upgrade", exact: true });
    await yes.waitFor();
    await page.route("**/upgrade", (route) =>
      route.fulfill({
        status: 409,
        json: { error: "something is under way already: pause", code: "nest_busy", hint: "wait until it is done" },
      }),
    );
    const reads: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith(`/nests/${id}`)) reads.push(request.method());
    });
    await yes.click();
    await page.getByText("Something is under way already: pause.").waitFor();
    await expect.poll(() => reads).toEqual(["GET"]);
    await context.close();
  }, 30_000);

  test("people are let in, turned down, given another role, and lose it; the owner is shown who asks without reloading", async () => {
    const id = await scene().create("ada");
    const { page, context } = await open("ada", `/my-nests/${id}`);
    await page.locator("#people").getByText("ada", { exact: true }).waitFor();
    for (const login of ["bob", "eve"]) {
      await scene().user(login);
      await scene().as(login, "POST", `/api/saas/nests/${id}/request-access`);
    }
    await page.getByRole("button", { name: "Let in bob" }).click({ timeout: 20_000 });
    await page.getByText("bob has the role read now.").waitFor();
    await page.getByRole("button", { name: "Turn down eve" }).click();
    await page.getByText("The request of eve was turned down.").waitFor();
    await page.getByRole("combobox", { name: "Role of bob" }).click();
    await page.getByRole("option", { name: "merger" }).click();
    await page.getByText("bob has the role merger now.").waitFor();
    expect((await scene().as("bob", "GET", `/api/saas/nests/${id}`)).body).toMatchObject({ role: "merger" });
    await page.getByRole("button", { name: "Take away the role of bob" }).click();
    await page.getByText("bob has no role on this nest any more.").waitFor();
    expect((await scene().as("bob", "GET", `/api/saas/nests/${id}`)).status).toBe(404);
    // An owner gives no role as high as their own.
    await page.getByRole("combobox", { name: "Role", exact: true }).click();
    expect(await page.getByRole("option").allTextContents()).toEqual(["read", "read-write", "merger"]);
    await context.close();
  }, 60_000);

  test("what differs is shown field by field, and repaired", async () => {
    const id = await scene().create("ada");
    const service = { apiVersion: "v1", kind: "Service", name: "nest", namespace: namespaceOf(id) };
    await scene().cluster.patch(service, { spec: { type: "NodePort" } }, signal);
    const { page, context } = await open("ada", `/my-nests/${id}`);
    await page.getByRole("button", { name: "Look now" }).click();
    const line = page.locator("#drift li", { hasText: "Service nest" });
    await line.getByText("spec.type").waitFor();
    expect([await line.locator("del").textContent(), await line.locator("ins").textContent()]).toEqual([
      "NodePort",
      "ClusterIP",
    ]);
    await page.locator("#drift").getByRole("button", { name: "Repair" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Repair" }).click();
    await page.getByText("None known.").waitFor({ timeout: 15_000 });
    await expect
      .poll(async () => (await scene().cluster.read(service, signal))?.spec)
      .toMatchObject({ type: "ClusterIP" });
    await context.close();
  }, 40_000);

  test("deleting says in numbers what goes, wants the id typed, and the page says when the nest is gone", async () => {
    const id = await scene().create("ada");
    await scene().as("ada", "POST", `/api/saas/nests/${id}/access`, { username: "bob", role: "read" });
    const { page, context } = await open("ada", `/my-nests/${id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2 people lose their roles on it").waitFor();
    await dialog.getByText(`The namespace ${namespaceOf(id)} goes`).waitFor();
    const yes = dialog.getByRole("button", { name: "Delete for good" });
    await dialog.getByLabel(`Type ${id} to confirm`).fill("something else");
    expect(await yes.isDisabled()).toBe(true);
    await dialog.getByLabel(`Type ${id} to confirm`).fill(id);
    await yes.click();
    await page.getByRole("heading", { name: "No such nest for you" }).waitFor({ timeout: 20_000 });
    expect(await page.getByText("does not answer").count()).toBe(0);
    await context.close();
  }, 60_000);

  test("whoever may only read is shown everything but the levers; the hub refuses those whatever a page shows", async () => {
    const id = await scene().create("ada");
    await scene().as("ada", "POST", `/api/saas/nests/${id}/access`, { username: "bob", role: "read" });
    const { page, context } = await open("bob", `/my-nests/${id}`);
    await page.getByText("Your role here is read").waitFor();
    expect(await page.getByRole("switch").count()).toBe(0);
    expect(await page.getByRole("button", { name: /^(Pause|Upgrade|More|Repair|Give)$/ }).count()).toBe(0);
    const refused = await page.evaluate<number>(
      `fetch("/api/saas/nests/${id}/pause", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }).then(({ status }) => status)`,
    );
    expect(refused).toBe(403);
    await context.close();
  }, 30_000);

  test("who loses their role while they look is told so, and is not told that the hub is away", async () => {
    const id = await scene().create("ada");
    await scene().as("ada", "POST", `/api/saas/nests/${id}/access`, { username: "bob", role: "read" });
    const { page, context } = await open("bob", `/my-nests/${id}`);
    await page.getByText("Your role here is read").waitFor();
    await scene().as("ada", "DELETE", `/api/saas/nests/${id}/access/bob`);
    await page.getByRole("heading", { name: "No such nest for you" }).waitFor({ timeout: 20_000 });
    await page.getByRole("link", { name: "Ask for access" }).click();
    await page.getByText("You are signed in as bob").waitFor();
    await page.getByRole("button", { name: "Ask for access" }).click();
    await page.getByText("You have asked.").waitFor();
    await scene().as("ada", "POST", `/api/saas/nests/${id}/access`, { username: "bob", role: "read-write" });
    await page.getByRole("button", { name: "Look again" }).click();
    await page.getByText("Your role on it is read-write.").waitFor();
    await page.getByRole("link", { name: "To the nest" }).click();
    await page.getByText("Your role here is read-write").waitFor();
    await context.close();
  }, 60_000);

  test("a hub that falls silent is noticed by the nest's own page after 30 s", async () => {
    const id = await scene().create("ada");
    const { page, context } = await open("ada", "/operations");
    await page.clock.install();
    await page.goto(`${scene().hub.url}/my-nests/${id}`);
    await expect.poll(() => page.locator(".connection-state").textContent()).toBe("live");
    await page.route("**/events", (route) => route.abort());
    await page.clock.fastForward(SILENCE);
    await page
      .getByText("The hub has fallen silent.")
      .or(page.getByText("The hub does not answer."))
      .waitFor({ timeout: 15_000 });
    await context.close();
  }, 40_000);

  test("names and errors that are markup are shown as text, and nothing of them runs", async () => {
    const evil = `<img src=x onerror="alert(1)">`;
    const id = await scene().create("ada", { project_name: evil });
    const { page, context, faults } = await open("ada", `/my-nests/${id}`);
    await page.getByRole("heading", { name: evil }).waitFor();
    await page.goto(`${scene().hub.url}/my-nests`);
    await page.getByText(evil).waitFor();
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  }, 30_000);
});
