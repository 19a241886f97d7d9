import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";

const PATH = "/api/config/governor/hub";

const hostile = [
  "/(a+)+$/",
  "/.*.*.*=.*/",
  "*a*a*a*a*a*a*a*a*b",
  "/(?:a?){300}a{30}/",
  `/${"(a*)*".repeat(30)}b/`,
  `/${"[\\pL\\pN]".repeat(20)}/`,
  "/(((a{30}){30}){30})/",
  `/${".{1000}".repeat(25)}/`,
  "/^(([a-z])+.)+[A-Z]([a-z])+$/",
  "/(?:a?){143}$b/",
  `/(?:(?:(?:${"a?".repeat(75)}){9}){9}){9}/`,
  `/[${"B-\u{1e000}".repeat(40)}]/`,
  "/^(?:\\pL*1){70}$/",
];

test("hostile patterns never block the loop, neither at save nor while thousands of issues are judged", async () => {
  await using hub = await TestHub.start({ issues: 0 });
  const tryOut = (patterns: readonly string[]) =>
    hub.admin("POST", `${PATH.replace("hub", "preview")}`, { key: "contribute_deny_titles", patterns });
  await tryOut(["the route itself is used for the first time"]);
  const building = watchTurns();
  const preview = await tryOut(hostile);
  expect(building.longestMs()).toBeLessThan(30);
  const refused = new Set((preview.body as { faults: { index: number }[] }).faults.map(({ index }) => index));
  const saved = hostile.filter((_, at) => !refused.has(at));
  expect(saved).toHaveLength(9);
  for (let number = 1; number <= 1000; number += 1)
    hub.codeHost.setIssue({ repo: "acme/one", number, title: `${"a".repeat(200)}${number}!` });
  await hub.hub.monitor.refresh();
  const judging = watchTurns();
  const answer = await hub.admin("PUT", PATH, { contribute_deny_titles: [...saved, "*!"] });
  expect(answer.status).toBe(200);
  expect(hub.withheld(7)).toBe("title_filter");
  expect(judging.longestMs()).toBeLessThan(30);
});

/** The processor time of the longest turn of the loop: what others do on a busy machine does not count. */
function watchTurns(): { longestMs(): number } {
  const used = () => process.threadCpuUsage().user / 1000;
  let longest = 0;
  let last = used();
  let watching = true;
  const turn = () => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
    if (watching) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    longestMs() {
      watching = false;
      return longest;
    },
  };
}
