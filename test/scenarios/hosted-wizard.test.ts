import { generateKeyPairSync } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { nests } from "@nest/protocol";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isChromiumMissing } from "../harness/chromium.ts";
import { hostedInBrowser } from "../harness/hosted-in-browser.ts";

const missing = isChromiumMissing("the wizard that creates nests");
const TOKEN = "ghp_0123456789abcdefSECRET";
const key = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .privateKey.export({ type: "pkcs1", format: "pem" })
  .toString();

describe.skipIf(missing)("the wizard that creates nests", () => {
  const { scene, open } = hostedInBrowser({
    clusters: [
      { id: "full", in_cluster: true, domain: "full.example.org", max_nests: 0 },
      { id: "east", name: "East", in_cluster: true, domain: "east.example.org" },
      { id: "west", pull_only: true, domain: "west.example.org" },
    ],
  });

  const next = (page: Page) => page.getByRole("button", { name: "Next" }).click();
  const step = (page: Page, name: string) => page.getByRole("heading", { name: new RegExp(`^${name} step`) }).waitFor();
  const repositories = async (page: Page) => {
    await page.getByRole("textbox", { name: "Repository" }).fill("acme/shop, web");
    await page.keyboard.press("Enter");
    await page.getByRole("radio", { name: "acme/web" }).waitFor();
  };
  const created = async (page: Page) => {
    await page.waitForURL(/\/my-nests\/hosted-/);
    const id = page.url().split("/").at(-1) ?? "";
    return (await scene().hub.admin("GET", `/api/saas/nests/${id}`)).body as nests.NestDetail;
  };

  test("with a token: by keyboard from repositories to the nest's page, which follows its steps", async () => {
    const { page, context, faults } = await open("ada", "/my-nests/new");
    await page.getByRole("textbox", { name: "Repository" }).focus();
    await page.keyboard.type("https://github.com/acme/shop");
    await page.keyboard.press("Enter");
    await page.keyboard.type("web");
    await page.keyboard.press("Enter");
    await page.getByRole("radio", { name: "acme/web" }).check();
    await page.getByRole("textbox", { name: "Repository" }).fill("api");
    await next(page);
    await step(page, "Level");
    expect(await page.evaluate("document.activeElement.textContent")).toMatch(/^Level/);
    await page.getByRole("radio", { name: /^2: / }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await step(page, "Credentials");
    await page.getByLabel("Token", { exact: true }).fill(TOKEN);
    await page.keyboard.press("Enter");
    await step(page, "Place and name");
    expect(await page.getByRole("radio", { name: /^East/ }).isChecked()).toBe(true);
    expect(await page.getByRole("radio", { name: /^full/ }).isDisabled()).toBe(true);
    await page.getByLabel("Name", { exact: true }).fill("The shop");
    await page.keyboard.press("Enter");
    await step(page, "Review");
    expect(await page.locator("main").textContent()).not.toContain("SECRET");
    await page.getByRole("button", { name: "Create the nest" }).click();
    expect(await created(page)).toMatchObject({
      owner: "ada",
      org: "acme",
      repos: ["acme/shop", "acme/web", "acme/api"],
      primary_repo: "acme/web",
      acmm_level: 3,
      project_name: "The shop",
      cluster_id: "east",
      auth_method: "token",
    });
    await page.getByText(/^All \d+ steps are done\.$/).waitFor({ timeout: 20_000 });
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test("with an app now: a key is pasted or chosen as a file, read in the page, and shown no more", async () => {
    const { page, context, faults } = await open("ada", "/my-nests/new");
    await repositories(page);
    await next(page);
    await next(page);
    await page.getByRole("radio", { name: /^An app, now/ }).check();
    await page.getByLabel("App id").fill("77");
    await page.getByLabel("Installation id").fill("88");
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") sent.push(request.url());
    });
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "app.pem", mimeType: "application/x-pem-file", buffer: Buffer.from(key) });
    await page.getByText(/one of [\d,]+ characters is here/).waitFor();
    expect(sent).toEqual([]);
    expect(await page.content()).not.toContain(key.split("\n")[3]);
    await next(page);
    await next(page);
    await page.getByRole("button", { name: "Create the nest" }).click();
    expect(await created(page)).toMatchObject({ auth_method: "app", app_id: "77", installation_id: "88" });
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test("with an app later: the nest's page says what is missing and how it goes on", async () => {
    const { page, context } = await open("ada", "/my-nests/new");
    await repositories(page);
    await next(page);
    await next(page);
    await page.getByRole("radio", { name: /^An app, later/ }).check();
    await page.getByLabel("App id").fill("77");
    await next(page);
    await next(page);
    await page.getByRole("button", { name: "Create the nest" }).click();
    expect(await created(page)).toMatchObject({ auth_method: "app-later" });
    await page.getByText("When its app is installed, choose Try again.").waitFor({ timeout: 20_000 });
    await context.close();
  }, 60_000);

  test("what is wrong is said beside its field, before and after the hub was asked", async () => {
    const { page, context } = await open("ada", "/my-nests/new");
    await next(page);
    await page.getByText("name at least one repository").waitFor();
    await page.getByRole("textbox", { name: "Repository" }).fill("acme/../shop");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("acme/../shop: give owner/name").waitFor();
    await repositories(page);
    await next(page);
    await next(page);
    await page.getByLabel("Token", { exact: true }).fill("gho_no");
    await next(page);
    await page.getByText("a token begins with ghp_ or github_pat_").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("password");
    await page.getByLabel("Token", { exact: true }).fill(TOKEN);
    await next(page);
    await next(page);
    await page.route("**/api/saas/nests", (route) =>
      route.fulfill({ status: 400, json: { error: "github_token: this one was revoked", code: "bad_request" } }),
    );
    await page.getByRole("button", { name: "Create the nest" }).click();
    await step(page, "Credentials");
    await page.getByText("this one was revoked").waitFor();
    await context.close();
  }, 60_000);

  test("nothing secret is in the address, in storage, or still there when the page is loaded again", async () => {
    const { page, context } = await open("ada", "/my-nests/new");
    await repositories(page);
    await next(page);
    await next(page);
    await page.getByLabel("Token", { exact: true }).fill(TOKEN);
    await next(page);
    expect(page.url()).toBe(`${scene().hub.url}/my-nests/new`);
    const kept = () =>
      page.evaluate<string>(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, document.cookie, [...document.querySelectorAll('input, textarea')].map((field) => field.value)])",
      );
    expect(await kept()).not.toContain("SECRET");
    await page.reload();
    await step(page, "Repositories");
    expect(await kept()).not.toMatch(/SECRET|acme/);
    await context.close();
  }, 30_000);

  test("what was typed stays when the hub refuses a later look at its clusters", async () => {
    const { page, context } = await open("ada", "/my-nests/new");
    await repositories(page);
    await page.route("**/api/saas/clusters", (route) =>
      route.fulfill({ status: 400, json: { error: "no", code: "x" } }),
    );
    const refused = page.waitForResponse("**/api/saas/clusters");
    await context.setOffline(true);
    await context.setOffline(false);
    await (await refused).finished();
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))");
    expect(await page.getByRole("radio", { name: "acme/web" }).count()).toBe(1);
    await context.close();
  }, 30_000);

  test("a quota that is reached is stated before anything is typed, and by the hub if somebody was faster", async () => {
    await scene().user("ada", { saas_quota: 1 });
    const { page, context } = await open("ada", "/my-nests/new");
    await repositories(page);
    await next(page);
    await next(page);
    await page.getByLabel("Token", { exact: true }).fill(TOKEN);
    await next(page);
    await next(page);
    await scene().create("ada", { cluster_id: "east" });
    await page.getByRole("button", { name: "Create the nest" }).click();
    await page.getByText("You may have 1 nest, and have 1.").waitFor();
    await page.goto(`${scene().hub.url}/my-nests/new`);
    await page.getByText("You may have 1 nest, and have 1. Delete one").waitFor();
    await page.goto(`${scene().hub.url}/my-nests`);
    await page.getByText("1 of 1 nest used").waitFor();
    await context.close();
  }, 60_000);

  test("on a cluster that the hub does not touch the nest's page has the objects and the commands", async () => {
    const { page, context } = await open("ada", "/my-nests/new");
    await repositories(page);
    await next(page);
    await next(page);
    await page.getByLabel("Token", { exact: true }).fill(TOKEN);
    await next(page);
    await page.getByRole("radio", { name: /^west/ }).check();
    await next(page);
    await page.getByRole("button", { name: "Create the nest" }).click();
    const { id } = await created(page);
    await page.getByText(`nest instance verify -kubeconfig KUBECONFIG -id ${id} -wait 300`).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: `${id}.yaml` }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${id}.yaml`);
    await context.close();
  }, 60_000);

  test("where the hub does not touch a cluster, it says before a token is typed that it would be dropped, and what to do", async () => {
    const { page, context, faults } = await open("ada", "/my-nests/new");
    await repositories(page);
    await next(page);
    await next(page);
    const note = page.getByRole("note");
    await note.getByText(/does not touch west\. If the nest shall live there: .* dropped/).waitFor();
    await note.getByText("nest instance apply").waitFor();
    expect(await page.getByLabel("Token", { exact: true }).inputValue()).toBe("");
    await page.getByLabel("Token", { exact: true }).fill("ghp_none");
    await next(page);
    await page.getByRole("radio", { name: /^west/ }).check();
    await page.getByRole("button", { name: "Back" }).click();
    await note.getByText("The hub does not touch the cluster of this nest.").waitFor();
    await next(page);
    await next(page);
    await page.getByText("what is given to it by hand; what you typed is dropped").waitFor();
    await page.getByRole("button", { name: "Create the nest" }).click();
    const { id } = await created(page);
    expect(await readdir(join(scene().hub.folder, "saas/nests", id))).toEqual(["meta.json"]);
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);
});
