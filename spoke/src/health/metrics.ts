import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Outcome } from "../heartbeat/send.ts";

/** What the metrics are read from, at the moment somebody asks. */
export interface MetricSources {
  readonly lastSuccessAt: () => number | undefined;
  readonly counts: () => Readonly<Record<Outcome["kind"], number>>;
}

/** The spoke's own metrics and the process's, in a registry of their own. */
export function spokeMetrics(sources: MetricSources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countFromTheStart(registry);
  registry.registerMetric(
    new Gauge({
      name: "nest_spoke_last_heartbeat_timestamp_seconds",
      help: "When the hub last accepted a heartbeat; 0 while it never has",
      registers: [],
      collect() {
        this.set((sources.lastSuccessAt() ?? 0) / 1000);
      },
    }),
  );
  registry.registerMetric(
    new Counter({
      name: "nest_spoke_heartbeats",
      help: "Heartbeats since boot by what became of them",
      labelNames: ["outcome"],
      registers: [],
      collect() {
        this.reset();
        for (const [outcome, count] of Object.entries(sources.counts())) this.inc({ outcome }, count);
      },
    }),
  );
  return registry;
}

/** The library counts from the moment at which it is first asked; the process has worked before that. */
function countFromTheStart(registry: Registry): void {
  const { user, system } = process.cpuUsage();
  const before = { user_seconds: user, system_seconds: system, seconds: user + system };
  for (const [name, micros] of Object.entries(before)) {
    const counter = registry.getSingleMetric(`process_cpu_${name}_total`);
    if (counter instanceof Counter) counter.inc(micros / 1e6);
  }
}

/** The metrics as text. A value that is not known yet, as a mean of nothing, is left out: it is no number. */
export async function metricsText(registry: Registry): Promise<string> {
  return (await registry.metrics()).replace(/^[^#\n]* NaN?\n?/gim, "");
}
