import type { nestAgents, nestRuns } from "@nest/protocol";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, navigationFaults } from "../harness/chromium.ts";
import { nestInBrowser } from "../harness/nest-in-browser.ts";
import { READER } from "../harness/nest-scene.ts";

const missing = isChromiumMissing("the pages of a working nest in a browser");
const PAGES = [
  "/overview",
  "/agents",
  "/queue",
  "/runs",
  "/ledger",
  "/ledger?view=ready",
  "/activity",
  "/audit",
  "/health",
];
/** A page says after 30 s that nothing is heard; browsers give it a second or two to notice. */
const SILENCE = "00:31";

describe.skipIf(missing)("the dashboard of a nest whose agents work", () => {
  const { scene, open } = nestInBrowser();
  const card = (page: Page, agent: string) => page.getByRole("region", { name: new RegExp(`^${agent}`) });
  const builder = async () => {
    const { agents } = await scene().call<{ agents: nestAgents.NestAgent[] }>("GET", "/api/agents");
    return agents.find(({ name }) => name === "builder");
  };
  const builderIsFree = () => expect.poll(async () => (await builder())?.state, { timeout: 20_000 }).toBe("waiting");

  test("the overview tells mode, queue and agents, and each band leads to its issues", async () => {
    const { page, context } = await open("/overview");
    await page.getByText("above 10 actionable").waitFor();
    await page.getByRole("link", { name: "actionable" }).click();
    await page.waitForURL(/\/queue\?show=actionable$/);
    await page.getByRole("listitem").first().waitFor();
    await page.getByLabel("Search the queue").fill("lunar");
    await page.waitForURL(/q=lunar/);
    await expect.poll(() => page.getByRole("listitem").filter({ hasText: "tide-clock#" }).count()).toBe(1);
    await context.close();
  });

  test("an agent is paused with a note and an end, and goes on", async () => {
    const { page, context } = await open("/agents");
    await page.getByRole("button", { name: "Pause builder" }).click();
    await page.getByLabel("Why").fill("a look at its tests");
    await page.getByRole("combobox", { name: "For how long" }).click();
    await page.getByRole("option", { name: "2 hours" }).click();
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await card(page, "builder").getByText("a look at its tests").waitFor();
    await card(page, "builder")
      .getByText(/^Paused for 2 h more/)
      .waitFor();
    expect((await builder())?.pause).toMatchObject({ cause: "person", by: "ada", reason: "a look at its tests" });
    await page.getByRole("button", { name: "Resume builder" }).click();
    await page.getByRole("button", { name: "Pause builder" }).waitFor();
    // The page shows a click at once; the nest has it a moment later.
    await expect.poll(async () => (await builder())?.pause).toBeUndefined();
    for (const act of ["pause", "resume"]) await scene().call("POST", `/api/agents/builder/${act}`, {});
    await page.goto(`${scene().url}/audit`);
    await page.getByRole("listitem").filter({ hasText: "paused" }).first().waitFor();
    expect(await page.getByText("unchanged").count()).toBe(0);
    await context.close();
  });

  test("whoever may only read sees what could be done, cannot do it, and is told why; the nest refuses it too", async () => {
    const { page, context } = await open("/agents", { extraHTTPHeaders: READER });
    const pause = page.getByRole("button", { name: "Pause builder" });
    const why = page.getByRole("tooltip", { name: /Only people with the role read-write or more/ });
    // While the page fills, a button moves away from under the mouse.
    const isTold = async () => {
      await page.mouse.move(0, 0);
      await pause.hover();
      return why.waitFor({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(isTold, { timeout: 20_000 }).toBe(true);
    await pause.focus();
    await page.keyboard.press("Enter");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.goto(`${scene().url}/overview`);
    await page.locator("#governor").getByText("Only people with the role read-write or more may do this.").waitFor();
    await page.goto(`${scene().url}/settings`);
    await page.getByText("Only the owner of this nest may do this.").waitFor();
    const asked = await page.evaluate<number>(
      `fetch("/api/agents/builder/pause", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }).then(({ status }) => status)`,
    );
    expect(asked).toBe(403);
    await context.close();
  });

  test("whoever may only read is not led to terminals and the audit, and is told why the audit is closed", async () => {
    const { page, context, faults } = await open("/agents", { extraHTTPHeaders: READER });
    await card(page, "builder").getByRole("link", { name: "Runs of builder" }).waitFor();
    const closed = page.getByRole("link", { name: /^(?:Terminal of .*|Terminals|Audit|Backup)$/ });
    await expect.poll(() => closed.count()).toBe(0);
    expect(await page.getByRole("link", { name: "Activity", exact: true }).count()).toBeGreaterThan(0);
    await page.goto(`${scene().url}/audit`);
    await page.getByText("Only people with the role read-write or more see who changed what.").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    for (const path of PAGES) {
      await page.goto(scene().url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator(".waiting").first().waitFor({ state: "detached" });
    }
    await page.locator("#checks li").first().waitFor();
    // What a page asks for and is refused is an error in the browser's console.
    expect(faults).toEqual([]);
    await context.close();
  });

  test("an act that fails is taken back on the page, and why is said", async () => {
    const { page, context } = await open("/agents");
    await page.route("**/pause", (route) => setTimeout(() => void route.abort(), 300));
    await page.getByRole("button", { name: "Pause builder" }).click();
    await page.getByLabel("Why").fill("never arrives");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await card(page, "builder").getByText("never arrives").waitFor({ state: "attached" });
    await page.getByText("The server cannot be reached.").waitFor();
    await expect.poll(() => card(page, "builder").getByText("never arrives").count()).toBe(0);
    await context.close();
  });

  test("an agent is set to work on an issue of the queue; its run can be watched while it goes on, and replayed", async () => {
    await builderIsFree();
    const { page, context, faults } = await open("/queue?q=lunar");
    await page.getByRole("button", { name: /^Set to work on .*tide-clock#/ }).click();
    await page.getByRole("combobox", { name: "Agent" }).click();
    await page.getByRole("option", { name: "builder" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Set to work" }).click();
    await page.getByText(/builder is set to work on /).waitFor();
    await page.goto(`${scene().url}/agents`);
    await card(page, "builder")
      .getByRole("link", { name: /tide-clock#/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "The lunar day is too short" }).waitFor();
    const terminal = page.getByRole("region", { name: "What the terminal showed" });
    const says = async () => (await terminal.locator(".xterm-rows").innerText()).includes("NEST_VERDICT: complete");
    await expect.poll(says, { timeout: 20_000 }).toBe(true);
    await page.getByText("opened a pull request").first().waitFor();
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("Home");
    await expect.poll(says).toBe(false);
    await page.keyboard.press("End");
    await expect.poll(says).toBe(true);
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("what strangers write into an issue is text on every page, and in the recording", async () => {
    await builderIsFree();
    const title = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
    const response = await fetch(`${scene().codeHost.apiUrl}/repos/meadow/tide-clock/issues`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${await scene().codeHost.addToken("mallory")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ title, body: `${title}\u001b]8;;javascript:alert(3)\u0007link\u001b]8;;\u0007` }),
    });
    expect(response.status).toBe(201);
    await scene().call("POST", "/api/governor/evaluate", {});
    const { number } = (await response.json()) as { number: number };
    await scene().call("POST", "/api/agents/builder/kick", { issue: `meadow/tide-clock#${number}` });
    await builderIsFree();
    const { runs } = await scene().call<{ runs: nestRuns.Run[] }>("GET", "/api/runs?agent=builder&limit=1");
    const { page, context, faults } = await open(`/runs/${runs[0]?.id}`);
    await page.getByRole("heading", { level: 1 }).getByText("<img src=x").waitFor({ timeout: 5000 });
    await page.getByRole("region", { name: "What the terminal showed" }).waitFor();
    for (const path of ["/queue", "/runs", "/ledger", "/activity", "/overview"]) {
      await page.goto(scene().url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
    }
    await page.goto(`${scene().url}/queue?q=onerror`);
    await page.getByRole("listitem").getByText("<img src=x").waitFor();
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("people write into the ledger and move what is there; the audit says who did it", async () => {
    const { page, context } = await open("/overview");
    // The dialog may be open before the agents are known.
    await page.route("**/api/beads?limit=1", (route) => setTimeout(() => void route.continue(), 1000));
    await page.goto(`${scene().url}/ledger`);
    await page.getByRole("button", { name: "Write something down" }).click();
    await page.getByLabel("What is to do").fill("Ask the team about units");
    await page.getByRole("button", { name: "Write down", exact: true }).click();
    await page.getByRole("button", { name: "Ask the team about units" }).click();
    await page.getByRole("dialog").getByRole("combobox", { name: "Status" }).click();
    await page.getByRole("option", { name: "Blocked" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("region", { name: /^Blocked/ })
      .getByText("Ask the team about units")
      .waitFor();
    await page.goto(`${scene().url}/audit`);
    await page.getByText("bead changed").first().waitFor();
    await page.getByText("ada").first().waitFor();
    await context.close();
  });

  test.each([
    [1440, "light"],
    [390, "dark"],
    [360, "light"],
  ] as const)(
    "no page has a serious fault of accessibility or is wider than the screen (%d px, %s)",
    async (width, colorScheme) => {
      const { runs } = await scene().call<{ runs: nestRuns.Run[] }>("GET", "/api/runs?limit=1");
      const viewport = { width, height: 840 };
      const { page, context } = await open("/overview", { viewport, colorScheme });
      const found: string[] = [];
      for (const path of [...PAGES, `/runs/${runs[0]?.id}`, "/", "/terminal/", "/backup"]) {
        await page.goto(scene().url + path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.locator(".waiting").first().waitFor({ state: "detached" });
        found.push(...(await seriousViolations(page)).map((violation) => `${path}: ${violation}`));
        const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
        if (wide > width) found.push(`${path}: ${wide} px wide`);
        found.push(...(await navigationFaults(page)).map((fault) => `${path}: ${fault}`));
      }
      expect(found).toEqual([]);
      await context.close();
    },
    90_000,
  );

  test("on a phone a row of the queue says all of its issue: why it is held back, its name, its agent, its author and age", async () => {
    const { page, context } = await open("/queue", { viewport: { width: 390, height: 840 } });
    await page.locator(".queue-row .mark").first().waitFor();
    const shown = await page.evaluate<
      boolean[]
    >(`[...document.querySelectorAll(".queue-row .labelled")].flatMap((facts) => {
      const edge = facts.getBoundingClientRect();
      const isWhole = (part) => {
        const { top, bottom, right } = part.getBoundingClientRect();
        return top >= edge.top - 1 && bottom <= edge.bottom + 1 && right <= edge.right + 1 && part.scrollWidth <= part.clientWidth;
      };
      return [...facts.children].filter((part) => !part.matches(".label, .label-tip")).map(isWhole);
    })`);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown).not.toContain(false);
    await context.close();
  });

  test("a nest that is frozen is said to be silent within 30 s, and to be back when it answers again", async () => {
    const { page, context } = await open("/health");
    await page.clock.install();
    await page.goto(`${scene().url}/overview`);
    await page.getByText("above 10 actionable").waitFor();
    scene().spoke.signal("SIGSTOP");
    try {
      await page.clock.fastForward(SILENCE);
      await page.clock.fastForward("00:02");
      await page.getByText(/The nest has fallen silent\. Last heard at \d\d:\d\d:\d\d\./).waitFor();
    } finally {
      scene().spoke.signal("SIGCONT");
    }
    await expect.poll(() => page.locator(".connection-state").textContent(), { timeout: 20_000 }).toBe("live");
    await context.close();
  }, 60_000);

  test("a page that the nest itself makes says too when the nest is not heard from", async () => {
    for (const path of ["/backup", "/terminal/", "/terminal/?arg=nest-builder", "/"]) {
      const { page, context } = await open(path);
      await context.setOffline(true);
      await page.getByText(/^The nest does not answer\. Last heard at/).waitFor();
      await context.setOffline(false);
      await expect.poll(() => page.getByText("The nest does not answer.").count()).toBe(0);
      await context.close();
    }
  });

  test("the page for backups says in words what went wrong, and what to do next", async () => {
    const { page, context } = await open("/backup");
    await page.getByText("No backup can be made yet, because there is no key. Make a new key below").waitFor();
    await page.getByLabel("Key, 64 hexadecimal characters").fill("abc");
    await page.getByRole("button", { name: "Save key" }).click();
    const outcome = page.locator("#key-outcome");
    await expect.poll(() => outcome.textContent()).toMatch(/^[A-Z].*\.$/);
    await page.route("**/api/config/governor/backup", (asked) => asked.fulfill({ status: 502, body: "<html>" }));
    await page.getByRole("button", { name: "Save key" }).click();
    await expect.poll(() => outcome.textContent()).toBe("The nest answered with status 502. Try again in a minute.");
    await context.close();
  });

  test("a page says so when the nest cannot tell who asks, and goes on when it can again", async () => {
    const { page, context } = await open("/overview");
    await page.route("**/api/gh-user-auth/status", (asked) =>
      asked.fulfill({ status: 500, json: { error: "the store is away", code: "internal" } }),
    );
    await page.goto(`${scene().url}/runs`);
    const alert = page.getByRole("main").getByRole("alert");
    await alert.getByText("The store is away.").waitFor();
    await page.unroute("**/api/gh-user-auth/status");
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    await context.close();
  });
});
