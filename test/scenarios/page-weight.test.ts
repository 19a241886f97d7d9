import { describe, expect, test } from "vitest";
import { isChromiumMissing } from "../harness/chromium.ts";
import { hubInBrowser } from "../harness/hub-in-browser.ts";
import { nestInBrowser, scriptsOf } from "../harness/nest-in-browser.ts";
import { expectWeight, mostScriptOfHub, mostScriptOfNest } from "../harness/page-weight.ts";
import { of } from "../harness/raw-relay.ts";

const missing = isChromiumMissing("the weight of pages");
/** They need nests of users: their story is hosted-list-page.test.ts. */
const needsNests = /^\/(?:my-nests|clusters|users)/;

describe.skipIf(missing)("how much script a page of a hub loads before it works", () => {
  const at = hubInBrowser({ issues: 6 });

  test("is no more than the page's limit, with something to show on each", async () => {
    const relay = await at.hub.relay("alice");
    const task = await relay.ready();
    relay.send({ type: "task_accepted", ...of(task) });
    for (const [path, mostKb] of Object.entries(mostScriptOfHub)) {
      if (needsNests.test(path)) continue;
      const id = { "/tasks/:id": task.task_id, "/issues/:id": "acme/one/2", "/contributors/:id": "alice" }[path] ?? "";
      const opened = await at.open(path.replace(":id", id));
      await expectWeight(opened, path, mostKb);
      await opened.context.close();
    }
  }, 120_000);

  test("is named in the page, so that none of it waits for another; and so is what it asks the hub first", async () => {
    const relay = await at.hub.relay("alice");
    const { task_id: id } = await relay.ready();
    for (const path of ["/operations", `/tasks/${id}`, "/issues/acme/one/2", "/contributors/alice", "/settings"]) {
      const opened = await at.open(path);
      const { page, context, faults } = opened;
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      const named = await page.evaluate<string[]>(
        "[...document.querySelectorAll('link[rel=modulepreload], script[type=module]')].map((one) => one.href || one.src)",
      );
      const { names } = await scriptsOf(opened);
      const others = names.filter((name) => name.includes("/app/") && !named.includes(name));
      expect([path, others]).toEqual([path, []]);
      const asked = await page.evaluate<string[]>(
        "performance.getEntriesByType('resource').filter(({ initiatorType }) => initiatorType === 'link').map(({ name }) => new URL(name).pathname)",
      );
      expect(asked).toContain("/api/auth/user");
      if (path.endsWith(id)) expect(asked).toContain(`/api/contribute/tasks/${id}`);
      expect([path, faults]).toEqual([path, []]);
      await context.close();
    }
  }, 60_000);
});

describe.skipIf(missing)("how much script a page of a nest loads before it works", () => {
  const { open } = nestInBrowser();

  test("is no more than the page's limit, and the terminal is not in it", async () => {
    for (const [path, mostKb] of Object.entries(mostScriptOfNest)) {
      const opened = await open(path);
      await expectWeight(opened, path, mostKb);
      const { names } = await scriptsOf(opened);
      expect(names.filter((name) => /\/(?:player|terminal)-/.test(name))).toEqual([]);
      await opened.context.close();
    }
  }, 120_000);
});
