import { KnownSecrets } from "@nest/agents";
import { describe, expect, test } from "vitest";
import { Console, type ConsoleOut } from "./console/console.ts";
import { HubStatus, limitsLeft } from "./hub-status.ts";
import type { AuthOk, Session } from "./session/session.ts";
import type { Task } from "./task/task.ts";

const HOUR = 3_600_000;
const numbers = { hourWindowMs: HOUR, dayWindowMs: 24 * HOUR };
const told = { used_hour: 1, used_day: 4, held: 0, max_per_hour: 3, max_per_day: 10, max_concurrent: 1 };

describe("what is left of the limits", () => {
  test.each([
    ["as the hub told", [], 1000, "2 of 3 left this hour, 6 of 10 today"],
    ["less each task given since", [1000, 2000], 3000, "0 of 3 left this hour, 4 of 10 today"],
    ["more again when the hour is over", [1000, 2000], 2 * HOUR, "3 of 3 left this hour, 4 of 10 today"],
    ["all of it after a day", [1000], 25 * HOUR, "3 of 3 left this hour, 10 of 10 today"],
  ] as [string, number[], number, string][])("is %s", (_, given, now, words) => {
    expect(limitsLeft(told, { toldAt: 0, given, now }, numbers).join(", ")).toBe(words);
  });

  test("is not told where there is no limit", () => {
    const none = { ...told, max_per_hour: 0, max_per_day: 0 };
    expect(limitsLeft(none, { toldAt: 0, given: [], now: 0 }, numbers)).toEqual([]);
  });
});

class Paper implements ConsoleOut {
  text = "";
  readonly isTTY: boolean;
  readonly columns = 40;

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }
}

const aSession = (host: string, isAuthenticated = true, tier = isAuthenticated ? "newcomer" : undefined) =>
  ({ hub: { host }, isAuthenticated, tier }) as unknown as Session & { tier: string };
const aWelcome = { protocol_version: "1.2", limits: told } as AuthOk;

function aHubStatus(): HubStatus {
  return new HubStatus(new Console(new Paper(false), new KnownSecrets([])), numbers as never);
}

describe("the status line", () => {
  test("of an idle relay tells each hub with tier, limits left, why it waits and until when", () => {
    const hubStatus = aHubStatus();
    const [here, away] = [aSession("hub.example"), aSession("other.example", false)];
    hubStatus.welcome(here, aWelcome, 0);
    hubStatus.note(here, "no matching work in the queue", { until: 30_000, detail: "withheld: claimed 2" });
    hubStatus.note(away, "hub away (closed with 1006)", { until: 12_000 });
    const { sentence, change } = hubStatus.idling([here, away], 5000);
    expect(sentence).toBe(
      "idle: no matching work in the queue, asks again in 25 s at hub.example (newcomer, 2 of 3 left this hour, 6 of 10 today), withheld: claimed 2; hub away (closed with 1006), next try in 7 s at other.example",
    );
    expect(hubStatus.idling([here, away], 6000).change).toBe(change);
    here.tier = "contributor";
    expect(hubStatus.idling([here, away], 6000).sentence).toContain("hub.example (contributor, ");
  });

  test("of a working relay tells the task, its hub, for how long, and that it waits for a person", () => {
    const hubStatus = aHubStatus();
    const session = aSession("hub.example");
    hubStatus.welcome(session, aWelcome, 0);
    hubStatus.assigned(session, 1000);
    const task = (standstill?: string) =>
      ({
        assignment: { repo: "acme/web", number: 12 },
        acceptedAt: 1000,
        standstill: () => standstill,
      }) as unknown as Task;
    expect(hubStatus.working(task(), session, 3 * 60_000 + 1000, "; agent in bubblewrap").sentence).toBe(
      "working on acme/web#12 for 3 min; agent in bubblewrap; hub.example (newcomer, 1 of 3 left this hour, 5 of 10 today)",
    );
    expect(hubStatus.working(task("answer"), session, 1000, "").change).toContain("IT WAITS FOR YOUR ANSWER");
  });

  test("is one line that is written over at a terminal, cut to its width", () => {
    const paper = new Paper(true);
    const console = new Console(paper, new KnownSecrets([]));
    console.status(`idle; ${"x".repeat(100)}`, "idle");
    console.status("idle; y", "idle");
    const shown = paper.text.split("\r\u001b[2K");
    expect(shown.map((text) => text.length)).toEqual([0, 39, 7]);
    expect(paper.text).not.toContain("\n");
  });

  test("is a line for each change in a pipe", () => {
    const paper = new Paper(false);
    const console = new Console(paper, new KnownSecrets(["a-known-secret"]));
    for (const seconds of [3, 2, 1])
      console.status(`idle a-known-secret; next try in ${seconds} s`, "idle a-known-secret");
    console.status("working", "working");
    const lines = paper.text.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).now)).toEqual(["idle [secret]", "working"]);
  });
});
