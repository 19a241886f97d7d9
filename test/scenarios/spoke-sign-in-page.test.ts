import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentSession } from "../harness/agent-session.ts";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import type { SpokeHere } from "../harness/spoke-here.ts";
import { signedIn, standaloneSpoke } from "../harness/standalone-spoke.ts";
import { buildApp } from "../harness/web-hub.ts";

const phone = { viewport: { width: 360, height: 740 }, colorScheme: "dark" } as const;

describe.skipIf(isChromiumMissing("the sign-in and the terminal in a browser"))(
  "in a browser",
  { timeout: 90_000 },
  () => {
    let spoke: SpokeHere;
    let browser: Browser;
    let session: AgentSession;
    beforeAll(async () => {
      buildApp();
      spoke = await standaloneSpoke(["ada:owner", "may:merger"]);
      session = new AgentSession(spoke.dataFolder, "scanner");
      browser = await launchChromium();
    }, 120_000);
    afterAll(async () => {
      await browser?.close();
      await spoke?.[Symbol.asyncDispose]();
    });

    const cookiesOf = async (login: string) =>
      [...(await signedIn(spoke, login)).cookies].map(([name, value]) => ({ name, value }));
    const openTerminal = async (login: string, options: object = {}) => {
      const opened = await openPage(browser, `${spoke.url}/terminal/?arg=nest-scanner`, {
        cookies: await cookiesOf(login),
        ...options,
      });
      await opened.page.getByText("Connected").waitFor();
      return opened;
    };
    const screenOf = (page: Page) => page.locator(".xterm-rows").innerText();

    test.each([
      ["a phone in the dark", phone],
      ["a desk", { viewport: { width: 1280, height: 800 }, colorScheme: "light" } as const],
    ])(
      "somebody signs in on %s, comes back to the terminal that they wanted, and signs out",
      async (_where, options) => {
        const { page, context, faults } = await openPage(browser, `${spoke.url}/terminal/?arg=nest-scanner`, options);
        await page.getByRole("heading", { name: "Sign in" }).waitFor();
        await page.getByRole("button", { name: "Sign in with a code" }).click();
        await page
          .locator("#user-code")
          .filter({ hasText: /^[0-9A-F]{4}-[0-9A-F]{4}$/ })
          .waitFor();
        const code = await page.locator("#user-code").innerText();
        expect(await seriousViolations(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(options.viewport.width);
        await page.getByRole("button", { name: "Copy" }).click();
        await page.getByRole("button", { name: /Copied|Selected/ }).waitFor();
        spoke.codeHost.decideDeviceLogin(code, { login: "ada" });
        await page.getByText("Connected").waitFor();
        expect(await seriousViolations(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(options.viewport.width);
        await page.goto(`${spoke.url}/sign-in`);
        await page.getByText("You are signed in as ada, with the role owner.").waitFor();
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByRole("button", { name: "Sign in with a code" }).waitFor();
        expect(faults).toEqual([]);
        await context.close();
      },
    );

    test("somebody who is not authorized reads the spec's words", async () => {
      const { page, context } = await openPage(browser, `${spoke.url}/sign-in`, phone);
      await page.getByRole("button", { name: "Sign in with a code" }).click();
      await page.locator("#user-code").filter({ hasText: "-" }).waitFor();
      spoke.codeHost.decideDeviceLogin(await page.locator("#user-code").innerText(), { login: "mallory" });
      await page.getByText("device-flow login rejected: user not authorized for this nest").waitFor();
      await context.close();
    });

    test("an owner types and pastes, and somebody who looks on sees it and cannot", async () => {
      const [owner, looker] = [await openTerminal("ada"), await openTerminal("may")];
      await looker.page.getByText("You look on").waitFor();
      await looker.page.keyboard.type("by the looker\n");
      await owner.page.keyboard.type("typed by ada\n");
      await owner.page.evaluate(
        `(() => {
          const data = new DataTransfer();
          data.setData("text/plain", "pasted by ada");
          document.querySelector(".xterm-helper-textarea").dispatchEvent(
            new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
          );
        })()`,
      );
      for (const { page } of [owner, looker]) {
        await expect.poll(() => screenOf(page)).toContain("typed by ada");
        await expect.poll(() => screenOf(page)).toContain("pasted by ada");
        expect(await screenOf(page)).not.toContain("by the looker");
      }
      expect([...owner.faults, ...looker.faults]).toEqual([]);
      for (const { context } of [owner, looker]) await context.close();
    });

    test("a flood of output leaves the page answering, and its end is seen", async () => {
      const { page, context, faults } = await openTerminal("ada");
      session.run(
        "yes 'a line of output that goes on and on' | head -c 20000000; echo; echo the flood is over; exec cat -",
      );
      // Each of these needs the page's own thread.
      for (let nth = 0; nth < 20; nth += 1) await page.evaluate("document.title");
      await expect.poll(() => screenOf(page), { timeout: 40_000 }).toContain("the flood is over");
      expect(faults).toEqual([]);
      await context.close();
    });

    test("the terminal follows the size of its window", async () => {
      const { page, context } = await openTerminal("ada", { viewport: { width: 1200, height: 700 } });
      await expect.poll(() => Number(session.fact("window_width"))).toBeGreaterThan(100);
      await page.setViewportSize({ width: 500, height: 700 });
      await expect.poll(() => Number(session.fact("window_width"))).toBeLessThan(90);
      await context.close();
    });

    test("a nest that is away and comes back is told as that, and shown again without a reload", async () => {
      const { page, context } = await openTerminal("ada");
      await spoke.kill();
      await page.getByText(/^Connection lost\. Next try at/).waitFor();
      const port = new URL(spoke.url).port;
      await spoke.startAgain(port);
      await page
        .getByRole("button", { name: "Try now" })
        .click({ timeout: 5000 })
        .catch(() => undefined);
      await page.getByText("Connected").waitFor();
      await context.close();
    });

    test("a page whose session has ended says so and does not try for ever", async () => {
      const { page, context } = await openTerminal("may");
      const ada = await signedIn(spoke, "ada");
      await ada.ask("PUT", "/api/config/authorized-users", { users: ["ada:owner"] });
      await page.getByText("You are signed out.").waitFor();
      await page.getByRole("link", { name: "Sign in" }).waitFor();
      await context.close();
    });
  },
);
