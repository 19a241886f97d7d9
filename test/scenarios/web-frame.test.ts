import { describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, navigationFaults } from "../harness/chromium.ts";
import { hubInBrowser } from "../harness/hub-in-browser.ts";
import { of } from "../harness/raw-relay.ts";

const missing = isChromiumMissing("the hub's browser app in a browser");
const CONFIG = "/api/config/governor/hub";

describe.skipIf(missing)("the frame of the hub's browser app", () => {
  const at = hubInBrowser({ issues: 6 });

  test("people who are not admins see no controls and are told why; the hub refuses the actions whatever the page shows", async () => {
    await at.hub.relay("alice");
    for (const cookies of [[], await at.web.visitor("carol")]) {
      const { page, context } = await at.open("/operations", { cookies });
      await page.getByText("acme/one#1").first().waitFor();
      expect(await page.getByRole("switch").count()).toBe(0);
      expect(await page.getByRole("button", { name: /^(Move|Hold|Announce|Take)/ }).count()).toBe(0);
      for (const [path, what] of [
        ["/settings", "Queue settings"],
        ["/contributors/alice", "Contributors"],
        ["/audit", "Audit"],
      ] as const) {
        await page.goto(at.hub.url + path);
        await page.getByRole("heading", { name: what }).waitFor();
        await page.getByText("This is for admins of this hub").waitFor();
      }
      if (cookies.length > 0) await page.getByText("carol is none").waitFor();
      const asked = await page.evaluate(
        `Promise.all([
          fetch("${CONFIG}", { method: "PUT", headers: { "content-type": "application/json" }, body: '{"contribute_suspended":true}' }),
          fetch("/api/contribute/queue/hold", { method: "POST", headers: { "content-type": "application/json" }, body: '{"key":"acme/one#1","held":true}' }),
          fetch("/api/contributors"), fetch("/api/audit"),
        ]).then((all) => all.map((one) => one.status))`,
      );
      expect(asked).toEqual(Array(4).fill(cookies.length === 0 ? 401 : 403));
      await context.close();
    }
  });

  test("until its scripts have come a page shows its frame, with the navigation of who is signed in; then the same one", async () => {
    for (const [cookies, last] of [
      [[], "Operations"],
      [await at.web.visitor("carol"), "My nests"],
      [at.web.admin, "Audit"],
    ] as const) {
      const { page, context } = await at.open("/audit", { cookies: [...cookies], javaScriptEnabled: false });
      const entries = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
      expect((await entries.allTextContents()).at(-1)).toBe(last);
      await page.getByText("Loading…").waitFor();
      const place = () => page.locator(".brand").boundingBox();
      const [names, brand] = [await entries.allTextContents(), await place()];
      await context.close();
      const whole = await at.open("/audit", { cookies: [...cookies] });
      await whole.page.getByRole("heading", { level: 1 }).waitFor();
      expect(await whole.page.getByRole("navigation", { name: "Pages" }).getByRole("link").allTextContents()).toEqual(
        names,
      );
      const after = await whole.page.locator(".brand").boundingBox();
      expect({ x: after?.x, width: after?.width }).toEqual({ x: brand?.x, width: brand?.width });
      expect(Math.abs((after?.y ?? 0) - (brand?.y ?? 0))).toBeLessThan(3);
      await whole.context.close();
    }
  });

  test("the palette leads to pages, issues, tasks and searches by the keyboard alone, and is one a screen reader can read", async () => {
    const { page, context, faults } = await at.open("/operations");
    await page.getByText("acme/one#1").first().waitFor();
    const field = page.getByRole("combobox", { name: /^A page/ });
    const chosen = page.getByRole("option", { selected: true });
    const hasFocus = () => page.evaluate<boolean>("document.activeElement?.role === 'combobox'");
    const isReady = () => expect.poll(hasFocus).toBe(true);
    await page.keyboard.press("Control+k");
    await isReady();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press("ArrowUp");
    expect(await chosen.textContent()).toContain("Alerts");
    await page.keyboard.press("ArrowDown");
    expect(await chosen.textContent()).toContain("Live");
    await page.keyboard.type("sett");
    expect(await chosen.textContent()).toContain("Settings");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/settings");
    await page.getByRole("heading", { name: "Queue settings" }).waitFor();
    await page.getByRole("button", { name: "Go to or find" }).click();
    await isReady();
    await page.keyboard.type("acme/one#2");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/issues/acme/one/2");
    await page.keyboard.press("Control+k");
    await isReady();
    await page.keyboard.type("<b>a&b");
    await page.getByRole("option", { name: "Search the audit for “<b>a&b”" }).click();
    await page.waitForURL((url) => url.pathname === "/audit" && url.searchParams.get("q") === "<b>a&b");
    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await context.close();
  });

  test("the colours chosen on a public page are those of the app, and those chosen in the app are the public page's", async () => {
    const { page, context, faults } = await at.open("/", { colorScheme: "light" });
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    await page.getByLabel("Colours").selectOption({ label: "Dark" });
    expect(await ground()).toBe("rgb(16, 18, 20)");
    await page.goto(`${at.hub.url}/operations`);
    await page.getByRole("button", { name: "Colours: Dark" }).click();
    expect(await ground()).toBe("rgb(16, 18, 20)");
    await page.getByRole("menuitem", { name: "Light" }).click();
    await page.goto(`${at.hub.url}/leaderboard`);
    expect([await ground(), await page.getByLabel("Colours").inputValue()]).toEqual(["rgb(246, 246, 243)", "light"]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a public page says who is signed in, in the place of the link to sign in", async () => {
    const { page, context } = await at.open("/contribute");
    await page.getByRole("link", { name: "Signed in as boss: to the operations page" }).waitFor();
    expect(await page.getByRole("link", { name: "Sign in", exact: true }).count()).toBe(0);
    await context.close();
  });

  test("on a wide screen each issue of the queue names its author and when it changed; on a phone there is no room", async () => {
    for (const [width, isShown] of [
      [1440, true],
      [390, false],
    ] as const) {
      const { page, context } = await at.open("/operations", { viewport: { width, height: 900 } });
      const issue = page.locator(".issue", { hasText: "acme/one#1" });
      await issue.waitFor();
      expect(await issue.getByText(/^by /).isVisible()).toBe(isShown);
      expect(await issue.getByText(/^changed .* ago$/).isVisible()).toBe(isShown);
      await context.close();
    }
  });

  test("issues of private repositories are counted for whoever is no admin, and not shown", async () => {
    at.hub.codeHost.privateRepositories.add("acme/one");
    await at.hub.clock.jump(3_600_000);
    await at.hub.admin("POST", "/api/contribute/queue/refresh");
    const { page, context } = await at.open("/operations", { cookies: [] });
    await page.getByText("6 issues of private repositories").waitFor();
    expect(await page.getByText("acme/one#1").count()).toBe(0);
    await context.close();
  });

  test("names that are markup or turn the direction of text are shown as text, and nothing of them runs", async () => {
    const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
    at.hub.codeHost.setIssue({
      repo: "acme/one",
      number: 1,
      title: `${evil} \u202Egnp.exe`,
      labels: [evil],
      author: evil,
    });
    await at.hub.admin("POST", "/api/contribute/queue/refresh");
    await at.hub.admin("PUT", CONFIG, { contribute_announcement: evil });
    const relay = await at.hub.relay("alice", { model: evil, cli_backend: "\u202Eedualc" });
    const task = await relay.ready();
    relay.send({ type: "task_accepted", ...of(task) });
    relay.send({ type: "task_failed", ...of(task), reason: `${evil}\u202E`, failure_kind: "task" });
    await relay.next("task_ack");
    const { page, context, faults } = await at.open("/operations");
    await page.locator(".notice", { hasText: "Announced:" }).waitFor();
    await page.locator("#relays").getByRole("button", { name: "alice" }).click();
    await page.getByText("Last failure").waitFor();
    for (const path of ["/audit", "/contributors/alice"]) {
      await page.goto(at.hub.url + path);
      await page.getByText("<img src=x").first().waitFor({ state: "attached" });
    }
    await page.goto(`${at.hub.url}/settings`);
    await page.getByLabel("Titles to leave out").waitFor();
    await page.goto(`${at.hub.url}/operations`);
    await page.getByText("<img src=x").first().waitFor();
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
    expect(await page.locator("main").textContent()).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a page says that the hub is gone, and reconnects without reloading", async () => {
    const { page, context } = await at.open("/operations");
    await expect.poll(() => page.locator(".connection-state").textContent()).toBe("live");
    await context.setOffline(true);
    at.hub.hub.http.server.closeAllConnections();
    await page.getByText("The hub does not answer.").waitFor({ timeout: 10_000 });
    await page.mouse.wheel(0, 400);
    await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(100);
    expect((await page.locator(".offline-banner").boundingBox())?.y).toBe(0);
    await at.hub.relay("late");
    await context.setOffline(false);
    await page.locator("#relays").getByRole("button", { name: "late" }).waitFor({ timeout: 10_000 });
    expect(await page.getByText("The hub does not answer.").count()).toBe(0);
    await context.close();
  });

  test("the bar is one row at 1440 px, with every page in sight, whatever the page says of its connection", async () => {
    const { page, context } = await at.open("/operations", { viewport: { width: 1440, height: 900 } });
    const state = page.locator(".connection-state");
    await expect.poll(() => state.textContent()).toBe("live");
    const measure = () =>
      page.evaluate<number[]>(`(() => {
        const row = document.querySelector(".bar nav ul");
        return [document.querySelector("header.top").offsetHeight, row.scrollWidth - row.clientWidth];
      })()`);
    const [height, hidden] = await measure();
    expect(hidden).toBe(0);
    await context.setOffline(true);
    at.hub.hub.http.server.closeAllConnections();
    await expect.poll(() => state.textContent()).toBe("reconnecting");
    expect(await measure()).toEqual([height, 0]);
    expect(height).toBeLessThan(70);
    await context.close();
  });

  test("a page sends no requests while nothing happens: it waits for the stream", async () => {
    const { page, context } = await at.open("/operations");
    await page.getByText("acme/one#1").first().waitFor();
    await page.waitForTimeout(2000);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.waitForTimeout(3500);
    expect(asked).toEqual([]);
    await at.hub.relay("alice");
    await page.locator("#relays").getByRole("button", { name: "alice" }).waitFor();
    await context.close();
  });

  test("by keyboard: the skip link first, every control named, a list of keys at ?, pages by g and a letter", async () => {
    await at.hub.relay("alice");
    const { page, context } = await at.open("/operations");
    await page.locator("#relays").getByRole("button", { name: "alice" }).waitFor();
    await page.keyboard.press("Tab");
    // A busy browser moves the focus a moment after the key.
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).not.toBe("none");
    const nameless = await page.evaluate(
      `[...document.querySelectorAll("button, a, input, textarea, [role=switch]")].filter((one) =>
        !one.hidden && (one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent).trim() === "").map((one) => one.outerHTML)`,
    );
    expect(nameless).toEqual([]);
    await page.locator("h1").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("search");
    await page.locator("h1").click();
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Operations" }).waitFor();
    await context.close();
  });

  test.each(["light", "dark"] as const)(
    "our colours hold, whichever stylesheet comes last (%s)",
    async (colorScheme) => {
      const { page, context } = await at.open("/settings", { colorScheme });
      await page.getByLabel("Titles to leave out").waitFor();
      const colours = await page.evaluate(
        "['--mantine-color-dimmed', '--soft', '--mantine-color-body', '--card'].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name))",
      );
      const [dimmed, soft, body, card] = colours as string[];
      expect([dimmed, body]).toEqual([soft, card]);
      expect(await seriousViolations(page)).toEqual([]);
      await context.close();
    },
  );

  test.each(["light", "dark"] as const)(
    "on a phone nothing runs out of any page (%s)",
    async (colorScheme) => {
      await at.hub.relay("a-login-that-is-as-long-as-they-can-be", {
        model: "a-model-with-a-very-long-name-indeed-0123456789",
      });
      const viewport = { width: 360, height: 740 };
      const { page, context, faults } = await at.open("/operations", { viewport, colorScheme });
      const long = "a-login-that-is-as-long-as-they-can-be";
      for (const path of [
        "/operations",
        "/settings",
        "/contributors",
        `/contributors/${long}`,
        "/audit",
        "/numbers",
        "/",
        "/contribute",
        "/leaderboard",
        "/login",
      ]) {
        // Also of the sign-in: a page that is closed while it still goes somewhere may not close.
        await page.goto(at.hub.url + path);
        if (path === "/login") continue;
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, viewport.width]);
        expect([path, await navigationFaults(page)]).toEqual([path, []]);
      }
      expect(faults.filter((fault) => !fault.includes("404"))).toEqual([]);
      await context.close();
    },
    60_000,
  );
});
