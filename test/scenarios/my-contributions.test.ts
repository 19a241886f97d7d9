import type { myContributions } from "@nest/protocol";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { TestHub } from "../harness/hub.ts";
import { WebHub } from "../harness/web-hub.ts";

type Mine = myContributions.MyContributions;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("a registration token tells how its owner stands: tier and what the next needs, limits, relays, tasks", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const relay = await hub.relay("ada");
  const mine = async () => (await hub.call("GET", "/api/contribute/me", undefined, bearer(relay.token))).body as Mine;
  expect(await mine()).toMatchObject({ history: [], limits: { held: 0, next_tier: { tier: "contributor" } } });
  const task = await relay.ready();
  expect(await mine()).toMatchObject({
    contributor: { github_username: "ada", trust_tier: "newcomer", active: true },
    limits: { used_hour: 1, max_per_hour: 3, held: 1, next_tier: { missing: 5 } },
    sessions: [{ github_username: "ada", current_task: task.task_id, protocol: { verdict: "unknown" } }],
    history: [{ task_id: task.task_id, repo: "acme/one", number: task.number }],
  });
});

test("nobody is told of another: a visitor, a wrong token, a person who never registered", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  await (await hub.relay("ada")).ready();
  expect(await hub.call("GET", "/api/contribute/me")).toMatchObject({ status: 401 });
  expect(await hub.call("GET", "/api/contribute/me", undefined, bearer("f".repeat(64)))).toMatchObject({ status: 401 });
  const { registration_token: token } = await hub.register("mallory");
  const theirs = (await hub.call("GET", "/api/contribute/me", undefined, bearer(token))).body as Mine;
  expect(JSON.stringify(theirs)).not.toContain("ada");
});

test("one's own relay can be cut, another's cannot", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const relay = await hub.relay("ada");
  const ada = relay.token;
  const { registration_token: mallory } = await hub.register("mallory");
  const [session] = ((await hub.call("GET", "/api/contribute/me", undefined, bearer(ada))).body as Mine).sessions;
  const cut = (token: string) =>
    hub.call("POST", "/api/contribute/me/disconnect", { connection_id: session?.connection_id }, bearer(token));
  expect(await cut(mallory)).toMatchObject({ status: 404 });
  expect(await cut(ada)).toMatchObject({ status: 200 });
  await relay.closed;
  expect((await hub.admin("GET", "/api/audit?q=disconnected")).body).toMatchObject({ audit: [{ actor: "ada" }] });
});

const missing = isChromiumMissing("a contributor's own page in a browser");
describe.skipIf(missing)("a contributor's own page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test("shows standing, limits, relays and tasks at /me and /contribute/me, is in the header, and issues a new token", async () => {
    await using web = await WebHub.start({ issues: 3 });
    const { hub } = web;
    const relay = await hub.relay("ada");
    const task = await relay.ready();
    const cookies = await web.visitor("ada");
    for (const path of ["/me", "/contribute/me"]) {
      const { page, context, faults } = await openPage(browser, hub.url + path, {
        viewport: { width: 1280, height: 900 },
        cookies,
      });
      await page.getByRole("heading", { level: 1, name: /My contributions/ }).waitFor();
      await page.getByText("5 more verified pull requests make you contributor.").waitFor();
      await page.getByText("1 of 3").first().waitFor();
      await page.locator("#history").getByText(`acme/one#${task.number}`).waitFor();
      await page.locator("#relays").getByRole("button", { name: "Disconnect" }).waitFor();
      await page.getByRole("navigation").getByRole("link", { name: "My contributions" }).first().waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      expect(faults).toEqual([]);
      await context.close();
    }
    const { page, context } = await openPage(browser, `${hub.url}/me`, {
      viewport: { width: 360, height: 800 },
      cookies,
    });
    await page.getByRole("button", { name: "New token…" }).click();
    await page.getByRole("button", { name: "Issue a new token" }).click();
    const token = (await page.getByTestId("new-token").innerText()).trim();
    expect((await hub.call("GET", "/api/contribute/me", undefined, bearer(token))).status).toBe(200);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    await context.close();
  });

  test("tells who is signed in without being registered how to begin", async () => {
    await using web = await WebHub.start();
    const cookies = await web.visitor("eve");
    const { page, context } = await openPage(browser, `${web.hub.url}/me`, { cookies });
    await page.getByText("not registered as a contributor here yet").waitFor();
    await page.getByRole("link", { name: "Show me how" }).waitFor();
    await context.close();
  });
});
