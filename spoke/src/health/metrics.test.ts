import { Gauge } from "prom-client";
import { expect, test } from "vitest";
import { metricsText, spokeMetrics } from "./metrics.ts";

const sources = { lastSuccessAt: () => undefined, counts: () => ({ accepted: 3, rejected: 1, unreachable: 0 }) };
const sampleOf = (text: string, name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);

test("the processor's time counts from the start of the process, not from the first time that somebody asks", async () => {
  const { user, system } = process.cpuUsage();
  const text = await metricsText(spokeMetrics(sources));
  expect(sampleOf(text, "process_cpu_seconds_total")).toBeGreaterThanOrEqual((user + system) / 1e6);
});

test("heartbeats are a counter, which says the same however often it is asked", async () => {
  const registry = spokeMetrics(sources);
  await registry.metrics();
  const text = await metricsText(registry);
  expect(text).toContain("# TYPE nest_spoke_heartbeats counter");
  expect(text).toContain('nest_spoke_heartbeats{outcome="accepted"} 3');
});

test("what is not known yet is left out: every value is a number", async () => {
  const registry = spokeMetrics(sources);
  registry.registerMetric(
    new Gauge({
      name: "mean_of_nothing",
      help: "x",
      registers: [],
      collect() {
        this.set(Number.NaN);
      },
    }),
  );
  const values = (await metricsText(registry)).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(values.length).toBeGreaterThan(10);
  expect(values.filter((line) => Number.isNaN(Number(line.split(" ").at(-1))))).toEqual([]);
});
