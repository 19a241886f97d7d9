import { PROTOCOL_VERSION, type tasks } from "@nest/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { of, RawRelay } from "../harness/raw-relay.ts";

const HOUR_MS = 3_600_000;

describe("the tasks that were ever given", () => {
  let hub: TestHub;
  let first: number;
  beforeEach(async () => {
    hub = await TestHub.start({ issues: 4 });
    first = hub.clock.now();
    const ends = [
      ["ada", { type: "task_failed", reason: "=1+1", failure_kind: "environment" }],
      ["bob", { type: "task_complete", result: "completed", verdict: "blocked", verdict_reason: "unclear" }],
      ["ada", { type: "task_complete", result: "completed", verdict: "idle" }],
    ] as const;
    const tokens = new Map<string, string>();
    for (const [login, ending] of ends) {
      const token = tokens.get(login) ?? (await hub.register(login)).registration_token;
      tokens.set(login, token);
      if (login === "bob") await hub.admin("PUT", "/api/contributors/bob/trust", { tier: "trusted" });
      const relay = await RawRelay.join(
        hub.socket,
        token,
        login === "bob" ? { model: "Größe-4", relay_protocol_version: PROTOCOL_VERSION } : {},
      );
      const task = await relay.ready();
      relay.send({ type: "task_accepted", ...of(task) });
      relay.send({ ...ending, ...of(task) });
      await relay.next("task_ack");
      await relay.drop();
      await hub.clock.jump(HOUR_MS);
    }
    await (await hub.relay("carol")).ready();
  });
  afterEach(() => hub[Symbol.asyncDispose]());

  async function found(query: string): Promise<string[]> {
    const { status, body } = await hub.admin("GET", `/api/contribute/tasks?${query}`);
    expect([query, status]).toEqual([query, 200]);
    return (body as { tasks: tasks.ListedTask[] }).tasks.map(
      ({ github_username: login, number }) => `${login} ${number}`,
    );
  }
  const at = (hours: number) => encodeURIComponent(new Date(first + hours * HOUR_MS).toISOString());

  test("are found by contributor, ending, kind of failure, issue and time, newest first, a page at a time", async () => {
    const all = await found("");
    expect(all).toHaveLength(4);
    expect(all[0]).toMatch(/^carol /);
    expect(await found("contributor=ADA")).toEqual([all[1], all[3]]);
    expect(await found("contributor=nobody")).toEqual([]);
    expect(await found("q=bob")).toEqual([all[2]]);
    expect(await found(`q=one%23${all[3]?.split(" ")[1]}`)).toContain(all[3]);
    const [, last] = all[3]?.split(" ") ?? [];
    expect(await found(`q=Acme/One%23${last}`)).toContain(all[3]);
    expect((await found(`q=acme/one%23${last}&outcome=failed`)).length).toBe(1);
    expect(await found("q=acme/one%2399")).toEqual([]);
    expect(await found("outcome=failed")).toEqual([all[3]]);
    expect(await found("outcome=blocked")).toEqual([all[2]]);
    expect(await found("outcome=completed")).toEqual([all[1]]);
    expect(await found("outcome=under_way")).toEqual([all[0]]);
    expect(await found("failure_kind=environment")).toEqual([all[3]]);
    expect(await found("repo=Acme/One&outcome=failed")).toEqual([all[3]]);
    expect(await found("repo=acme/two")).toEqual([]);
    expect(await found(`since=${at(0.5)}&until=${at(1.5)}`)).toEqual([all[2]]);
    expect(await found(`until=${at(-1)}`)).toEqual([]);
    const page = (await hub.admin("GET", "/api/contribute/tasks?limit=3")).body as { next_cursor: string };
    expect(await found(`limit=3&cursor=${page.next_cursor}`)).toEqual([all[3]]);
  });

  test("say how many of what was found have which value, as the filters find them", async () => {
    const facetsOf = async (query: string) =>
      (
        (await hub.admin("GET", `/api/contribute/tasks?limit=1&facets=yes${query}`)).body as {
          facets: tasks.TaskFacets;
        }
      ).facets;
    expect(await facetsOf("")).toMatchObject({
      counted: 4,
      repo: [{ name: "acme/one", count: 4 }],
      contributor: [
        { name: "ada", count: 2 },
        { name: "bob", count: 1 },
        { name: "carol", count: 1 },
      ],
      outcome: ["blocked", "completed", "failed", "under_way"].map((name) => ({ name, count: 1 })),
      failure_kind: [{ name: "environment", count: 1 }],
      tier: [
        { name: "newcomer", count: 3 },
        { name: "trusted", count: 1 },
      ],
      model: [
        { name: "unknown", count: 3 },
        { name: "Größe-4", count: 1 },
      ],
    });
    const { outcome, ...others } = await facetsOf("&contributor=ada");
    expect(others).toMatchObject({ counted: 2, contributor: [{ name: "ada", count: 2 }] });
    for (const { name, count } of outcome) expect(await found(`contributor=ada&outcome=${name}`)).toHaveLength(count);
  });

  test("keep tier, model and relay version of when they were given, and are found by them; of older ones that is unknown", async () => {
    const all = await found("");
    expect(await found("tier=trusted")).toEqual([all[2]]);
    expect(await found("model=GRÖßE-4")).toEqual([all[2]]);
    expect(await found("model=gr")).toEqual([]);
    expect(await found("model=unknown")).toEqual([all[0], all[1], all[3]]);
    expect(await found(`version=${PROTOCOL_VERSION}`)).toEqual([all[2]]);
    expect(await found("version=unknown&tier=newcomer")).toEqual([all[0], all[1], all[3]]);
    expect(await found("version=0.1&tier=newcomer")).toEqual([]);
    await hub.admin("PUT", "/api/contributors/bob/trust", { tier: "newcomer" });
    expect(await found("tier=trusted")).toEqual([all[2]]);
    const { tasks: rows } = (await hub.admin("GET", "/api/contribute/tasks?tier=trusted")).body as {
      tasks: tasks.ListedTask[];
    };
    const kept = { tier: "trusted", model: "Größe-4", relay_version: PROTOCOL_VERSION };
    expect(rows).toMatchObject([kept]);
    expect((await hub.call("GET", `/api/contribute/tasks/${rows[0]?.task_id}`)).body).toMatchObject({ task: kept });
    const csv = String((await hub.admin("GET", "/api/contribute/tasks/export?tier=trusted")).body).split("\r\n");
    expect(csv[0]).toMatch(/tier,model,relay_version$/);
    expect(csv[1]).toContain(`trusted,Größe-4,${PROTOCOL_VERSION}`);
    await hub.restart();
    expect(await found("tier=newcomer")).toEqual([all[0], all[1], all[3]]);
    expect(await found("tier=unknown")).toEqual([]);
    expect((await hub.admin("GET", "/api/contribute/tasks?tier=none")).status).toBe(400);
  });

  test("are found by letters of any alphabet, whatever their case, on either engine; so is the audit", async () => {
    hub.codeHost.setIssue({ repo: "acme/one", number: 9, title: "Die GRÖßE der Seite" });
    await hub.admin("POST", "/api/contribute/queue/refresh");
    await hub.admin("POST", "/api/contribute/queue/order/first", { keys: ["acme/one#9"] });
    await (await hub.relay("dora")).ready();
    expect(await found("q=größe")).toEqual(["dora 9"]);
    expect(await found("q=gräße")).toEqual([]);
    expect(await found("q=größe&limit=1")).toEqual(["dora 9"]);
    await hub.admin("POST", "/api/contribute/queue/hold", { key: "acme/one#9", held: true, reason: "ZU GROß" });
    const audit = (await hub.admin("GET", "/api/audit?q=zu%20groß")).body as { audit: object[] };
    expect(audit.audit).toMatchObject([{ action: "queue hold" }]);
  });

  test("are for admins, and are taken along as a file that is harmless to spreadsheets", async () => {
    expect((await hub.call("GET", "/api/contribute/tasks")).status).toBe(401);
    const csv = String((await hub.admin("GET", "/api/contribute/tasks/export?outcome=failed")).body);
    expect(csv.split("\r\n")[1]).toContain(",'=1+1,");
    const json = (await hub.admin("GET", "/api/contribute/tasks/export?format=json")).body as object[];
    expect(json).toHaveLength(4);
  });
});
