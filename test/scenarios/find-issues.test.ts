import type { contribute, contributors } from "@nest/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";

describe("issues of the queue", () => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await TestHub.start({ issues: 0 });
    hub.codeHost.addRepository("acme/two");
    const at = hub.clock.now();
    const day = 24 * 3_600_000;
    const issue = (number: number, more: object, repo = "acme/one") => hub.codeHost.setIssue({ repo, number, ...more });
    issue(1, { title: "=SUM(1)", labels: ["bug", "area/x"], author: "ada", updatedAt: at - 3 * day });
    issue(2, { title: "slow page", labels: ["bug"], author: "grace", updatedAt: at - 2 * day });
    issue(3, { title: "a new icon", labels: ["design"], author: "Ada", updatedAt: at - day });
    await hub.hub.monitor.refresh();
    await hub.admin("POST", "/api/contribute/queue/hold", { key: "acme/one#3", held: true, reason: "later" });
  });
  afterEach(() => hub[Symbol.asyncDispose]());

  async function read(query: string): Promise<contribute.QueueReply> {
    const { status, body } = await hub.call("GET", `/api/contribute/queue?${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body as contribute.QueueReply;
  }
  const keys = async (query: string) => (await read(query)).queue.map(({ key }) => key);

  test("are found by repository, label and author, named whole and in any case, and by a text in labels and logins too", async () => {
    expect(await keys("label=BUG")).toEqual(["acme/one#1", "acme/one#2"]);
    expect(await keys("label=bu")).toEqual([]);
    expect(await keys("author=ada")).toEqual(["acme/one#1"]);
    expect(await keys("author=ada&with=withheld")).toEqual(["acme/one#1", "acme/one#3"]);
    expect(await keys("repo=ACME/one&label=bug&author=grace")).toEqual(["acme/one#2"]);
    expect(await keys("repo=acme/two")).toEqual([]);
    expect(await keys("q=area/")).toEqual(["acme/one#1"]);
    expect(await keys("q=grac")).toEqual(["acme/one#2"]);
    expect(await keys("q=one%232")).toEqual(["acme/one#2"]);
  });

  test("are found by when they were changed last", async () => {
    const at = (days: number) => encodeURIComponent(new Date(hub.clock.now() - days * 24 * 3_600_000).toISOString());
    expect(await keys(`since=${at(2.5)}`)).toEqual(["acme/one#2"]);
    expect(await keys(`until=${at(2.5)}&with=withheld`)).toEqual(["acme/one#1"]);
  });

  test("tell on request how many of those found have which repository, label, author and reason", async () => {
    expect((await read("")).facets).toBeUndefined();
    expect((await read("with=withheld&facets=yes&limit=1")).facets).toEqual({
      repo: [{ name: "acme/one", count: 3 }],
      label: [
        { name: "bug", count: 2 },
        { name: "area/x", count: 1 },
        { name: "design", count: 1 },
      ],
      author: [
        { name: "ada", count: 1 },
        { name: "Ada", count: 1 },
        { name: "grace", count: 1 },
      ],
      reason: [{ name: "operator_hold", count: 1 }],
    });
  });

  test("are taken along as a file by admins, harmless to spreadsheets", async () => {
    expect((await hub.call("GET", "/api/contribute/queue/export")).status).toBe(401);
    const csv = String((await hub.admin("GET", "/api/contribute/queue/export?with=withheld")).body)
      .trimEnd()
      .split("\r\n");
    expect(csv[0]).toBe("key,title,labels,author,updated_at,stands,until,detail,held_reason,url");
    expect(csv[1]).toMatch(/^acme\/one#1,'=SUM\(1\),"bug, area\/x",ada,/);
    expect(csv[3]).toContain("operator_hold");
    const json = (await hub.admin("GET", "/api/contribute/queue/export?format=json&label=bug")).body as object[];
    expect(json).toHaveLength(2);
  });

  test("are held and let go many at a time; what is so already is not done again, nor written down", async () => {
    const hold = (keys: string[], held: boolean) =>
      hub.admin("POST", "/api/contribute/queue/holds", { keys, held, reason: "flood" });
    const all = ["acme/one#1", "Acme/One#2", "acme/one#2", "acme/one#3"];
    expect((await hold(all, true)).body).toEqual({ ok: true, changed: 2 });
    expect(await hub.actionable()).toBe(0);
    expect((await hold(all, true)).body).toEqual({ ok: true, changed: 0 });
    const { audit } = (await hub.admin("GET", "/api/audit?action=queue%20hold")).body as {
      audit: contributors.AuditEntry[];
    };
    expect(audit.map(({ subject }) => subject).sort()).toEqual(["acme/one#1", "acme/one#2", "acme/one#3"]);
    expect((await hold(all, false)).body).toEqual({ ok: true, changed: 3 });
    expect(await hub.actionable()).toBe(3);
    expect((await hold([], true)).status).toBe(400);
    expect(
      (
        await hold(
          Array.from({ length: 513 }, (_, nth) => `acme/one#${nth + 1}`),
          true,
        )
      ).status,
    ).toBe(400);
  });
});
