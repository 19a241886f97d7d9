import type { contributors } from "@nest/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ADMIN_TOKEN, TestHub } from "../harness/hub.ts";

const DAY_MS = 24 * 3_600_000;

/** A hub whose audit has a hold a day, from the first of a month on, by the admin token. */
describe("the audit", () => {
  let hub: TestHub;
  let first: number;
  beforeEach(async () => {
    hub = await TestHub.start({ issues: 5 });
    first = hub.clock.now();
    for (let number = 1; number <= 4; number += 1) {
      await hub.admin("POST", "/api/contribute/queue/hold", {
        key: `acme/one#${number}`,
        held: true,
        reason: `r${number}`,
      });
      await hub.clock.jump(DAY_MS);
    }
    await hub.admin("PUT", "/api/config/governor/hub", { contribute_announcement: "=HYPERLINK(1)" });
  });
  afterEach(() => hub[Symbol.asyncDispose]());

  async function found(query: string): Promise<string[]> {
    const { status, body } = await hub.admin("GET", `/api/audit?${query}`);
    expect(status).toBe(200);
    return (body as { audit: contributors.AuditEntry[] }).audit.map(({ subject }) => subject);
  }
  const at = (days: number) => encodeURIComponent(new Date(first + days * DAY_MS).toISOString());

  test("is found by action, person, subject and time, each alone and together, and pages", async () => {
    expect(await found("action=queue%20hold")).toEqual([4, 3, 2, 1].map((number) => `acme/one#${number}`));
    expect(await found("action=queue")).toEqual([]);
    expect(await found("subject=ONE%233")).toEqual(["acme/one#3"]);
    expect(await found("actor=admin-tok&action=queue%20configuration")).toEqual(["contribute"]);
    expect(await found("actor=boss")).toEqual([]);
    expect(await found(`since=${at(1)}&until=${at(3)}`)).toEqual(["acme/one#3", "acme/one#2"]);
    expect(await found(`since=${at(1)}&q=r2`)).toEqual(["acme/one#2"]);
    const page = (await hub.admin("GET", "/api/audit?limit=2&action=queue%20hold")).body as { next_cursor: string };
    expect(await found(`limit=2&action=queue%20hold&cursor=${page.next_cursor}`)).toEqual(["acme/one#2", "acme/one#1"]);
  });

  test("a date alone is the whole day", async () => {
    const day = new Date(first + DAY_MS).toISOString().slice(0, 10);
    expect(await found(`since=${day}&until=${day}`)).toEqual(["acme/one#2"]);
  });

  test.each(["since=yesterday", "until=2026-13-01", "since=2026-01-01T00:00:00", "actor[]=x", "colour=red"])(
    "a filter that is none is refused by name: %s",
    async (query) => {
      expect((await hub.admin("GET", `/api/audit?${query}`)).status).toBe(400);
    },
  );

  test("as CSV: every entry that the filter finds, with both values; what a spreadsheet would compute is harmless", async () => {
    const csv = await hub.admin("GET", "/api/audit/export?action=queue%20hold");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toMatch(/^attachment; filename="nest-audit-\d{4}-\d\d-\d\d\.csv"$/);
    const lines = String(csv.body).trimEnd().split("\r\n");
    expect(lines[0]).toBe("id,at,actor,action,subject,before,after");
    expect(lines).toHaveLength(5);
    expect(lines[1]).toMatch(/^\d+,\d{4}.*Z,admin-token,queue hold,acme\/one#4,,r4$/);
    await hub.admin("POST", "/api/contribute/queue/hold", { key: "acme/one#5", held: true, reason: "=1+1" });
    expect(String((await hub.admin("GET", "/api/audit/export?subject=%235")).body)).toContain(",'=1+1\r\n");
  });

  test("as JSON: a list that is whole, also when there is nothing in it", async () => {
    const all = (await hub.admin("GET", "/api/audit/export?format=json")).body as contributors.AuditEntry[];
    expect(all).toHaveLength(5);
    expect(all[0]?.after).toEqual({ contribute_announcement: "=HYPERLINK(1)" });
    expect((await hub.admin("GET", "/api/audit/export?format=json&actor=nobody")).body).toEqual([]);
  });

  test("the file is for admins alone", async () => {
    expect((await hub.call("GET", "/api/audit/export")).status).toBe(401);
    const { registration_token: token } = await hub.register("ada");
    const as = { authorization: `Bearer ${token}` };
    expect((await hub.call("GET", "/api/audit/export", undefined, as)).status).toBe(403);
    const gone = await fetch(`${hub.url}/api/audit/export`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect(gone.status).toBe(200);
  });

  test("a file of many thousand entries holds all of them, in order, each once", async () => {
    const wanted = 12_345;
    await hub.hub.stop();
    await hub.sql(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${wanted})
       insert into audit (at, actor, action, subject) select i, 'boss', 'user', 'login-' || i from n`,
    );
    await hub.boot();
    const { body } = await hub.admin("GET", "/api/audit/export?actor=boss");
    const ids = String(body)
      .trimEnd()
      .split("\r\n")
      .slice(1)
      .map((line) => Number(line.split(",")[0]));
    expect(ids).toHaveLength(wanted);
    expect(ids.every((id, place) => place === 0 || id < (ids[place - 1] ?? 0))).toBe(true);
  });
});
