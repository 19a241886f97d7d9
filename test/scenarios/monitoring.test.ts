import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { TestHub } from "../harness/hub.ts";
import { of } from "../harness/raw-relay.ts";

// What deploy/ has for Prometheus and Grafana, held against the real promtool and a real hub.

const root = join(import.meta.dirname, "../..");
const rules = join(root, "deploy/prometheus/nest-hub-alerts.yaml");
const dashboard = join(root, "deploy/grafana/nest-hub.json");

/** What Prometheus itself knows of a target. */
const OF_PROMETHEUS = new Set(["up"]);
/** Names and words of PromQL in the expressions of the two files. */
const WORDS = /\b(nest|nodejs|process)_[a-z0-9_]+\b|\bup\b/g;

const isPromtoolHere = (() => {
  try {
    execFileSync("promtool", ["--version"], { stdio: "ignore" });
    return true;
  } catch (thrown) {
    if (process.env.CI === "true") throw thrown;
    console.error("skipped: alert rules against promtool: Debian's prometheus is not installed");
    return false;
  }
})();

/** The expressions of every panel and every rule. */
async function expressions(): Promise<string[]> {
  const { groups } = parse(await readFile(rules, "utf8")) as { groups: { rules: { expr: string }[] }[] };
  const { panels } = JSON.parse(await readFile(dashboard, "utf8")) as { panels: { targets: { expr: string }[] }[] };
  return [
    ...groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
}

/** The metrics of a hub at which one task was completed and one failed. */
async function metricsOfAHub(): Promise<string> {
  await using hub = await TestHub.start({ issues: 4 });
  const relay = await hub.relay("ada", { cli_backend: "claude" });
  const first = await relay.ready();
  relay.send({ type: "task_complete", ...of(first), result: "completed" });
  await relay.next("task_ack");
  const second = await relay.ready();
  relay.send({ type: "task_failed", ...of(second), reason: "no disk", failure_kind: "environment" });
  await relay.next("task_ack");
  return (await hub.call("GET", "/metrics")).body as string;
}

test("every metric that the dashboard and the alert rules name is one of a real hub, or of a backup run", async () => {
  const metrics = await metricsOfAHub();
  const known = new Set([...metrics.matchAll(/^([a-z_0-9]+)[{ ]/gm)].map(([, name]) => name ?? ""));
  const backup = await readFile(join(root, "backup/src/commands/metrics.ts"), "utf8");
  const named = (await expressions()).flatMap((expr) => [...expr.matchAll(WORDS)].map(([name]) => name));
  expect(named.length).toBeGreaterThan(40);
  const unknown = named.filter(
    (name) =>
      !known.has(name) &&
      !OF_PROMETHEUS.has(name) &&
      !(name.startsWith("nest_backup_") && backup.includes(`"${name}"`)),
  );
  expect([...new Set(unknown)]).toEqual([]);
});

test("endings are counted by result and backend as the page of numbers counts them, and waits in seconds", async () => {
  const metrics = await metricsOfAHub();
  expect(metrics).toContain('nest_task_endings_total{result="completed",backend="claude"} 1');
  expect(metrics).toContain('nest_task_endings_total{result="failed_environment",backend="claude"} 1');
  expect(metrics).toContain("nest_task_wait_seconds_count 2");
  expect(metrics).toContain('nest_task_wait_seconds_bucket{le="+Inf"} 2');
});

test("a stranger's names for backends do not fill the metrics", async () => {
  await using hub = await TestHub.start({ issues: 30 });
  for (let nth = 0; nth < 25; nth += 1) {
    const relay = await hub.relay(`ada-${nth}`, { cli_backend: `invented-${nth}` });
    const task = await relay.ready();
    relay.send({ type: "task_complete", ...of(task), result: "completed" });
    await relay.next("task_ack");
    await relay.drop();
  }
  const metrics = (await hub.call("GET", "/metrics")).body as string;
  const backends = new Set(
    [...metrics.matchAll(/nest_task_endings_total\{.*backend="([^"]+)"/g)].map(([, name]) => name),
  );
  expect(backends.size).toBeLessThanOrEqual(21);
  expect(backends).toContain("other");
});

test.skipIf(!isPromtoolHere)(
  "promtool finds nothing wrong with the rules, and every alert comes and stays away as it should",
  () => {
    const cwd = join(root, "deploy/prometheus");
    expect(execFileSync("promtool", ["check", "rules", "nest-hub-alerts.yaml"], { cwd, encoding: "utf8" })).toContain(
      "SUCCESS",
    );
    expect(
      execFileSync("promtool", ["test", "rules", "nest-hub-alerts.test.yaml"], { cwd, encoding: "utf8" }),
    ).toContain("SUCCESS");
  },
);

test.skipIf(!isPromtoolHere)("promtool finds nothing wrong with the hub's own metrics", async () => {
  const own = (await metricsOfAHub())
    .split("\n")
    .filter((line) => /^(# (HELP|TYPE) )?nest_/.test(line))
    .join("\n");
  execFileSync("promtool", ["check", "metrics"], { input: `${own}\n`, encoding: "utf8", stdio: "pipe" });
});
