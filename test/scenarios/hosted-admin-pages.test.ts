import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isChromiumMissing } from "../harness/chromium.ts";
import { hostedInBrowser, writeRecords } from "../harness/hosted-in-browser.ts";

const missing = isChromiumMissing("the admin's pages of hosted nests");

describe.skipIf(missing)("the admin's pages of hosted nests", () => {
  const { scene, open } = hostedInBrowser({
    clusters: [
      { id: "east", in_cluster: true, domain: "east.example.org", max_nests: 5, storage_quota: "kept" },
      { id: "north", kubeconfig_path: "no-such-file.yaml" },
    ],
  });

  const clusters = async () =>
    JSON.parse(await readFile(join(scene().hub.folder, "clusters.json"), "utf8")) as Record<string, unknown>[];
  const record = (id: string, more: object = {}) => ({
    id,
    owner: "ada",
    status: "running",
    cluster_id: "east",
    ...more,
  });

  test("an admin sees all nests, asks why one is offline, and narrows to those not heard of and those not as wanted", async () => {
    const id = await scene().create("ada", { project_name: "The shop", cluster_id: "east" });
    await writeRecords(scene(), [record("hosted-quiet"), record("hosted-resting", { status: "paused" })]);
    await scene().hub.call(
      "POST",
      "/api/heartbeat",
      { nest_id: id, is_public: true },
      { authorization: "Bearer heartbeat-secret-of-the-tests" },
    );
    const { page, context, faults } = await open("root", "/my-nests");
    await page.getByText("3 nests", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Why is hosted-quiet offline?" }).click();
    await page.getByRole("dialog").getByText("no heartbeat of it ever arrived").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("not heard of").click();
    await page.getByText("1 of 3 nests").waitFor();
    await page.getByRole("link", { name: "hosted-quiet" }).waitFor();
    await page.getByText("not heard of").click();
    await scene().cluster.delete(
      { apiVersion: "v1", kind: "Service", name: "nest", namespace: `nest-hosted-${id}` },
      { signal: new AbortController().signal },
    );
    await scene().as("root", "POST", `/api/saas/nests/${id}/compare`);
    await page.getByText("not as wanted").click();
    await page.getByText("1 difference", { exact: true }).waitFor();
    await page.getByRole("link", { name: "The shop", exact: true }).click();
    await page.locator("#drift li", { hasText: "Service nest" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test("a placeholder is given to its owner by the wizard", async () => {
    const id = await scene().create("ada", { cluster_id: "east" });
    const file = join(scene().hub.folder, "saas/nests", id, "meta.json");
    const made = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...made, owner: "", status: "available" }));
    const { page, context, faults } = await open("root", `/my-nests/${id}`);
    await page.getByRole("link", { name: "Give to an owner" }).click();
    await page.getByRole("textbox", { name: "Repository" }).fill("acme/shop");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByLabel("Token", { exact: true }).fill("ghp_0123456789");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("the login of its owner at the code host").waitFor();
    await page.getByRole("textbox", { name: "Owner" }).fill("bob");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Give it to its owner" }).click();
    await page.waitForURL(new RegExp(`/my-nests/${id}$`));
    expect((await scene().hub.admin("GET", `/api/saas/nests/${id}`)).body).toMatchObject({
      owner: "bob",
      repos: ["acme/shop"],
      auth_method: "token",
    });
    expect(faults).toEqual([]);
    await context.close();
    const other = await open("ada", `/my-nests/new?claim=${id}`);
    await other.page.getByText("This is for admins of this hub").waitFor();
    await other.context.close();
  }, 60_000);

  test("clusters say whether they are reached and why not, how full they are, and what is done by hand", async () => {
    await writeRecords(scene(), [record("hosted-one")]);
    const { page, context, faults } = await open("root", "/clusters");
    const line = (id: string) => page.getByRole("listitem").filter({ has: page.getByText(id, { exact: true }) });
    await line("east").getByText("reachable", { exact: true }).waitFor();
    await line("east").getByRole("link", { name: "1 of 5 nests" }).waitFor();
    await line("north")
      .getByText(/its kubeconfig .*no-such-file\.yaml cannot be read/)
      .waitFor();
    await page.getByText("nest instance verify -kubeconfig KUBECONFIG -id NEST -wait 300").waitFor();
    await line("east").getByRole("link", { name: "1 of 5 nests" }).click();
    await page.waitForURL(/\/my-nests\?cluster=east$/);
    expect(faults).toEqual([]);
    await context.close();
  }, 30_000);

  test("clusters are added, changed and removed; keys that the form does not know stay", async () => {
    await writeRecords(scene(), [record("hosted-one")]);
    const { page, context } = await open("root", "/clusters");
    await page.getByRole("button", { name: "Add a cluster" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Id").fill("south");
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.getByText("the path of its kubeconfig on the hub", { exact: true }).waitFor();
    await dialog.getByRole("combobox", { name: "How does the hub reach it?" }).click();
    await page.getByRole("option", { name: /by hand/ }).click();
    await dialog.getByLabel("Domain").fill("south.example.org");
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByText("south is added.").waitFor();
    expect((await clusters()).at(-1)).toEqual({
      id: "south",
      pull_only: true,
      domain: "south.example.org",
      ingress: "ingress",
    });
    await page.getByRole("button", { name: "Change east" }).click();
    await dialog.getByLabel("Nests at most").fill("7");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "1 of 7 nests" }).waitFor();
    expect((await clusters())[0]).toMatchObject({ id: "east", in_cluster: true, max_nests: 7, storage_quota: "kept" });
    await page.getByRole("button", { name: "Remove east" }).click();
    await dialog.getByLabel("Type east to confirm").fill("east");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByText("1 nest is on this cluster.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Remove south" }).click();
    await dialog.getByLabel("Type south to confirm").fill("south");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("south is removed.").waitFor();
    expect((await clusters()).map(({ id }) => id)).toEqual(["east", "north"]);
    await context.close();
  }, 60_000);

  test("one switch stops upgrades by themselves, and shows every admin who turned it, when and why", async () => {
    const { page, context, faults } = await open("root", "/clusters");
    const lever = page.getByRole("switch", { name: "Nests upgrade by themselves" });
    expect(await lever.isChecked()).toBe(true);
    const panel = await page.getByRole("region", { name: "Upgrades by themselves" }).boundingBox();
    const words = await page.getByText("Nests upgrade by themselves", { exact: true }).boundingBox();
    expect((words?.y ?? 0) - (panel?.y ?? 0)).toBeGreaterThan(8);
    await page.getByLabel("Why, should you turn it off").fill("the new image <b>loses</b> sessions");
    await lever.uncheck();
    await page.getByText("No nest upgrades by itself any more.").waitFor();
    await page.getByText(/^Stopped by root, .*: the new image <b>loses<\/b> sessions$/).waitFor();
    expect((await scene().hub.admin("GET", "/api/saas/upgrade-pause")).body).toMatchObject({
      paused: true,
      by: "root",
    });
    await page.reload();
    await page.getByText(/^Stopped by root/).waitFor();
    await lever.check();
    await page.getByText("Nests upgrade by themselves again.").waitFor();
    expect((await scene().hub.admin("GET", "/api/saas/upgrade-pause")).body).toMatchObject({ paused: false });
    expect(faults).toEqual([]);
    await context.close();
  }, 40_000);

  test.each(["/my-nests", "/clusters", "/users", "/settings", "/contributors", "/audit"])(
    "%s says so when the hub cannot tell who asks, and goes on when it can again",
    async (path) => {
      const { page, context } = await open("root", "/operations");
      await page.route("**/api/auth/user", (asked) =>
        asked.fulfill({ status: 500, json: { error: "the store is away", code: "internal" } }),
      );
      await page.goto(scene().hub.url + path);
      const alert = page.getByRole("main").getByRole("alert");
      await alert.getByText("The store is away.").waitFor();
      await page.unroute("**/api/auth/user");
      await alert.getByRole("button", { name: "Try again" }).click();
      await alert.waitFor({ state: "detached" });
      await page.getByRole("main").getByRole("heading").first().waitFor();
      await context.close();
    },
    40_000,
  );

  test("a nest is moved from its page, to clusters that the hub reaches", async () => {
    const id = await scene().create("ada", { cluster_id: "east" });
    const { page, context } = await open("root", `/my-nests/${id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Move to another cluster…" }).click();
    await page.getByText("Only then does the new one start").waitFor();
    await page.getByRole("dialog").getByRole("combobox", { name: "Cluster" }).click();
    expect(await page.getByRole("option", { name: "north" }).getAttribute("data-combobox-disabled")).toBe("true");
    await context.close();
    const owner = await open("ada", `/my-nests/${id}`);
    await owner.page.getByRole("button", { name: "More" }).click();
    await owner.page.getByRole("menuitem", { name: "Rename…" }).waitFor();
    expect(await owner.page.getByRole("menuitem", { name: /^Move/ }).count()).toBe(0);
    await owner.context.close();
  }, 40_000);

  test("users are found; quota and block are set with what follows from them, and undone", async () => {
    await scene().user("bob", { nests: { "hosted-one": "merger" } });
    const { page, context, faults } = await open("root", "/users");
    await page.getByText("3 people").waitFor();
    await page.getByRole("searchbox", { name: "Search users" }).fill("BO");
    await page.getByText("1 person").waitFor();
    await page.waitForURL(/\?q=BO$/);
    await page.getByRole("button", { name: "1 role of bob" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "hosted-one" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Quota of bob" }).click();
    await page.getByLabel("As many as they like").uncheck();
    await page.getByLabel("Nests at most").fill("2");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "0 of 2 nests" }).waitFor();
    await page.getByRole("button", { name: "Block bob" }).click();
    await page.getByText("on 1 nest they have a role on").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Block" }).click();
    await page.getByText("bob is blocked.").waitFor();
    expect((await scene().as("bob", "GET", "/api/saas/my-nests")).status).toBe(401);
    await page.locator(".undoable", { hasText: "bob is blocked." }).getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone.").waitFor();
    await page.getByRole("button", { name: "Block bob", exact: true }).waitFor();
    expect((await scene().as("bob", "GET", "/api/saas/my-nests")).status).toBe(200);
    expect(faults).toEqual([]);
    await context.close();
  }, 40_000);

  test("clusters and users are for admins, and the hub refuses them to others whatever a page shows", async () => {
    const { page, context } = await open("ada", "/clusters");
    await page.getByText("This is for admins of this hub").waitFor();
    await page.goto(`${scene().hub.url}/users`);
    await page.getByText("This is for admins of this hub").waitFor();
    expect((await scene().as("ada", "GET", "/api/saas/users")).status).toBe(403);
    expect((await scene().as("ada", "POST", "/api/saas/clusters", { id: "x" })).status).toBe(403);
    await context.close();
  }, 20_000);
});
