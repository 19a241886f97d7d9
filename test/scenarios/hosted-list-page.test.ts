import { describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing } from "../harness/chromium.ts";
import { hostedInBrowser, writeRecords } from "../harness/hosted-in-browser.ts";
import { aNest } from "../harness/hosted-scene.ts";
import { expectWeight, mostScriptOfHub } from "../harness/page-weight.ts";

const missing = isChromiumMissing("the list of hosted nests");
const MOST_PAGE_BYTES = 60 * 1024;
/** Elements of the whole page, however long its list is. */
const MOST_ELEMENTS = 1500;
const statuses = ["running", "running", "paused", "error", "available"];

/** As records are after some time: a long error, many repositories. */
function aRecord(nth: number, more: object = {}) {
  const number = String(nth).padStart(4, "0");
  const status = statuses[nth % statuses.length] ?? "running";
  return {
    id: `hosted-a-rather-long-organisation-project-${number}`,
    owner: "ada",
    project_name: `Project ${number} of a team that likes long names`,
    org: "a-rather-long-organisation",
    repos: Array.from({ length: 12 }, (_, repo) => `a-rather-long-organisation/repository-number-${repo}`),
    primary_repo: "a-rather-long-organisation/repository-number-0",
    acmm_level: (nth % 6) + 1,
    status,
    ...(status === "error" ? { error: `provisioning failed, check hub logs: volume: ${"why ".repeat(200)}` } : {}),
    created_at: "2026-01-01T00:00:00.000Z",
    subdomain: `hosted-a-rather-long-organisation-project-${number}.east.example.org`,
    cluster_id: nth % 2 === 0 ? "east" : "west",
    image: "registry.example.org/team/nest-spoke:1.2.3",
    ...more,
  };
}

describe.skipIf(missing)("the list of hosted nests", () => {
  const { scene, open } = hostedInBrowser({
    clusters: [
      { id: "east", in_cluster: true, domain: "east.example.org" },
      { id: "west", pull_only: true },
    ],
  });

  test("a thousand nests are read in pages of at most 60 KB, only the rows that are seen exist, and the last is reached", async () => {
    await writeRecords(
      scene(),
      Array.from({ length: 1000 }, (_, nth) => aRecord(nth)),
    );
    const { page, context, faults } = await open("ada", "/operations");
    const sizes: number[] = [];
    page.on("response", async (response) => {
      if (response.url().includes("/api/saas/my-nests")) sizes.push((await response.body()).length);
    });
    await page.getByRole("link", { name: "My nests" }).click();
    await page.getByText("Project 0000").waitFor();
    const most = await page.evaluate<number>(`(async () => {
      const box = document.querySelector('.long-list');
      const end = Date.now() + 20000;
      let most = 0;
      while (!document.body.textContent.includes("Project 0999") && Date.now() < end) {
        box.scrollTop = box.scrollHeight;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        most = Math.max(most, document.querySelectorAll("*").length);
      }
      return most;
    })()`);
    await page.getByText("Project 0999").waitFor();
    console.log(
      `1,000 nests: ${sizes.length} pages, the largest ${Math.max(...sizes)} bytes; at most ${most} elements`,
    );
    expect(sizes).toHaveLength(20);
    expect(Math.max(...sizes)).toBeLessThan(MOST_PAGE_BYTES);
    expect(most).toBeLessThan(MOST_ELEMENTS);
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test("search, status, cluster and order stay in the address; counts are said once, by status; nothing like it is said", async () => {
    await writeRecords(
      scene(),
      Array.from({ length: 10 }, (_, nth) => aRecord(nth)),
    );
    const { page, context, faults } = await open("ada", "/my-nests");
    await page.getByText("10 nests", { exact: true }).waitFor();
    await page.getByText("running 4").click();
    await page.getByText("4 of 10 nests").waitFor();
    await page.getByText("paused 2").waitFor();
    await page.getByRole("combobox", { name: "Cluster" }).click();
    await page.getByRole("option", { name: "east" }).click();
    await page.getByRole("combobox", { name: "Order" }).click();
    await page.getByRole("option", { name: "Newest first" }).click();
    await page.getByRole("searchbox", { name: "Search nests" }).fill("0006");
    await page.waitForURL(/\?cluster=east&q=0006&sort=created&status=running$/);
    await page.reload();
    await page.getByText("1 of 10 nests").waitFor();
    expect(await page.getByRole("searchbox", { name: "Search nests" }).inputValue()).toBe("0006");
    await page.getByRole("searchbox", { name: "Search nests" }).fill("no such thing");
    await page.getByText("No nest is like that.").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByText("10 nests", { exact: true }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("who has no nest is told how to have one, and who is not signed in how to sign in", async () => {
    const { page, context } = await open("bob", "/my-nests");
    await page.getByText("You have no nest yet").waitFor();
    await page.getByRole("link", { name: "Create a nest" }).click();
    await page.getByRole("heading", { name: "Create a nest" }).waitFor();
    await context.close();
    const nobody = await open(undefined, "/my-nests?q=x");
    await nobody.page.getByText("This is for whoever is signed in.").waitFor();
    expect(await nobody.page.getByRole("link", { name: "My nests" }).count()).toBe(0);
    expect(await nobody.page.locator("main").getByRole("link", { name: "Sign in" }).getAttribute("href")).toBe(
      "/login?redirect=%2Fmy-nests%3Fq%3Dx",
    );
    await nobody.context.close();
  });

  test("a list that cannot be read says so, and is read again when asked", async () => {
    const { page, context } = await open("ada", "/operations");
    await page.route("**/api/saas/my-nests**", (route) =>
      route.fulfill({ status: 403, json: { error: "this account is blocked", code: "forbidden" } }),
    );
    await page.getByRole("link", { name: "My nests" }).click();
    await page.getByText("This account is blocked.").waitFor();
    await page.unroute("**/api/saas/my-nests**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("You have no nest yet").waitFor();
    await context.close();
  });

  test("a nest that is being made is seen to become one, without anybody asking", async () => {
    await scene().as("ada", "POST", "/api/saas/nests", { ...aNest, project_name: "The shop" });
    const { page, context } = await open("ada", "/my-nests");
    await page.getByRole("link", { name: "The shop", exact: true }).waitFor();
    await page.getByRole("listitem").getByText("running", { exact: true }).waitFor({ timeout: 15_000 });
    await context.close();
  }, 30_000);

  test("the way into a nest is one link, and only where something answers", async () => {
    await writeRecords(scene(), [aRecord(0), aRecord(2)]);
    const { page, context } = await open("ada", "/my-nests");
    const opens = page.getByRole("link", { name: /^Open/ });
    await opens.first().waitFor();
    expect(await opens.count()).toBe(1);
    expect(await opens.getAttribute("href")).toBe(`/api/saas/nests/${aRecord(0).id}/open?to=/overview`);
    await context.close();
  });

  test("the list is one stop of the Tab key; the arrows go from nest to nest, and right to its way in", async () => {
    await writeRecords(scene(), [aRecord(0), aRecord(1)]);
    const { page, context } = await open("ada", "/my-nests");
    await page.getByRole("link", { name: /^Project 0000/ }).waitFor();
    const focused = () =>
      page.evaluate<string>("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
    await page.getByRole("region", { name: "Nests", exact: true }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toMatch(/^Project 0001/);
    await page.keyboard.press("ArrowRight");
    expect(await focused()).toMatch(/^Open Project 0001/);
    await context.close();
  });

  test("whoever is signed in finds My nests on the public pages too; others do not", async () => {
    const { page, context } = await open("ada", "/contribute");
    await page.getByRole("link", { name: "My nests" }).click();
    await page.getByRole("heading", { name: "My nests" }).waitFor();
    await context.close();
    const nobody = await open(undefined, "/contribute");
    expect(await nobody.page.getByRole("link", { name: "My nests" }).isVisible()).toBe(false);
    await nobody.context.close();
  });

  test("no page of hosted nests has a serious fault for people with a disability, runs out of a phone, or loads more script than its limit", async () => {
    await writeRecords(scene(), [aRecord(0), aRecord(3), aRecord(4)]);
    const id = aRecord(3).id;
    await scene().user("carl", { saas_quota: 1, blocked: true, nests: { [id]: "read" } });
    await scene().as("bob", "POST", `/api/saas/nests/${id}/request-access`);
    const pages = [
      ["ada", "/my-nests", "/my-nests"],
      ["root", "/my-nests", "/my-nests"],
      ["ada", `/my-nests/${id}`, "/my-nests/:id"],
      ["root", `/my-nests/${aRecord(4).id}`, "/my-nests/:id"],
      ["bob", `/my-nests/${id}/no-access`, "/my-nests/:id/no-access"],
      ["ada", "/my-nests/new", "/my-nests/new"],
      ["root", "/clusters", "/clusters"],
      ["root", "/users", "/users"],
    ] as const;
    for (const colorScheme of ["light", "dark"] as const)
      for (const [login, path, kind] of pages) {
        const opened = await open(login, path, { viewport: { width: 360, height: 740 }, colorScheme });
        const { page, context, faults } = opened;
        await expectWeight(opened, path, mostScriptOfHub[kind]);
        const width = await page.evaluate("document.documentElement.scrollWidth");
        expect([login, path, await seriousViolations(page), width, faults]).toEqual([login, path, [], 360, []]);
        await context.close();
      }
  }, 120_000);
});
