import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
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
    new Gauge({
      name: "nest_spoke_heartbeats",
      help: "Heartbeats since boot by what became of them",
      labelNames: ["outcome"],
      registers: [],
      collect() {
        for (const [outcome, count] of Object.entries(sources.counts())) this.set({ outcome }, count);
      },
    }),
  );
  return registry;
}
