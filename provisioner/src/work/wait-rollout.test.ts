import { MemoryCluster } from "@nest/cluster";
import { NestError, silentLog, VirtualClock } from "@nest/kit";
import type { HostedNestRecord } from "@nest/protocol";
import { expect, test } from "vitest";
import { NestWatch } from "./nest-watch.ts";
import type { StepContext } from "./step.ts";
import { waitUntilReady, waitUntilStopped } from "./wait-rollout.ts";

/** A step that was stopped while the record was written that it begins. */
function stoppedContext(cluster: MemoryCluster, watch: NestWatch): StepContext {
  const record = { id: "acme-one", steps: [] } as unknown as HostedNestRecord;
  return {
    id: "acme-one",
    home: { record: { id: "east", in_cluster: true }, cluster, watch },
    signal: AbortSignal.abort(new NestError("nest_work_stopped", "the work on this nest was stopped")),
    clock: new VirtualClock(),
    log: silentLog(),
    record: async () => record,
    change: async () => record,
    note: async () => {},
  };
}

test.each([waitUntilReady, waitUntilStopped])(
  "%o ends at once where the work was stopped before it began: neither the clock nor the cluster has to move",
  async (wait) => {
    const cluster = new MemoryCluster();
    const watch = new NestWatch(cluster, "hub-one", silentLog());
    await expect(wait(stoppedContext(cluster, watch))).rejects.toMatchObject({ code: "nest_work_stopped" });
    await watch.close();
  },
);
