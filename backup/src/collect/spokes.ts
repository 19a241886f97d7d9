import type { Cluster } from "@nest/cluster";
import { type Clock, NestError, sentenceOf } from "@nest/kit";
import type { FleetSpoke } from "../fleet/fleet.ts";
import { MOST_STREAM_BYTES, parseSpokeStream, READ_SPOKE, type SpokeFiles } from "./spoke-stream.ts";

const CONTAINER = "nest";
const LOOKUP_TIMEOUT_MS = 30_000;
const ALL_TIMEOUT_MS = 10 * 60 * 1000;
const AT_ONCE_A_CLUSTER = 8;
/** A namespace must be a DNS label, so that an id in a foreign record cannot direct the exec elsewhere. */
const NAMESPACE = /^nest-hosted-[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const MOST_NAMESPACE_CHARACTERS = 63;
const MOST_REASON_CHARACTERS = 300;
/** Memory for all spokes of a run together; a spoke beyond it is reported and not captured. */
const MOST_HELD_BYTES = 128 * 1024 * 1024;

export interface SpokesPlan {
  readonly spokes: readonly FleetSpoke[];
  /** The client for a cluster of `clusters.json`; created once for each. */
  clusterOf(spoke: FleetSpoke): Promise<Cluster>;
  readonly spokeTimeoutMs: number;
  readonly allTimeoutMs?: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  progress?(done: number, of: number): void;
}

export interface CapturedSpokes {
  readonly captured: ReadonlyMap<string, SpokeFiles>;
  readonly errors: Readonly<Record<string, string>>;
  /** Spokes without a pod according to their records; these are no gaps. */
  readonly asleep: Readonly<Record<string, string>>;
}

/**
 * Reads every spoke, several at once and each with its own deadline, so that a few that hang do not keep the others from
 * being captured. Each spoke is captured or gets a reason; no spoke fails the run.
 */
export async function collectSpokes(plan: SpokesPlan): Promise<CapturedSpokes> {
  const captured = new Map<string, SpokeFiles>();
  const errors: Record<string, string> = {};
  const asleep: Record<string, string> = {};
  let done = 0;
  let held = 0;
  const allSignal = AbortSignal.any([plan.signal, AbortSignal.timeout(plan.allTimeoutMs ?? ALL_TIMEOUT_MS)]);
  const one = async (spoke: FleetSpoke, cluster: Promise<Cluster>) => {
    try {
      const files = await readSpoke(await cluster, spoke.id, { ...plan, signal: allSignal });
      held += [...files.files.values()].reduce((sum, { length }) => sum + length, 0);
      if (held > MOST_HELD_BYTES)
        throw new NestError("spoke_too_large", "the spokes of this run are larger than 128 MiB together");
      captured.set(spoke.id, files);
    } catch (thrown) {
      plan.signal.throwIfAborted();
      const isAsleep = spoke.asleep !== undefined && thrown instanceof NestError && thrown.code === "spoke_without_pod";
      if (isAsleep) asleep[spoke.id] = spoke.asleep;
      else errors[spoke.id] = reasonOf(thrown, allSignal);
    }
    done += 1;
    plan.progress?.(done, plan.spokes.length);
  };
  const byCluster = Map.groupBy(plan.spokes, ({ cluster }) => cluster.id);
  const pools = [...byCluster.values()].map(async (spokes) => {
    const first = spokes[0];
    if (first === undefined) return;
    const cluster = plan.clusterOf(first);
    cluster.catch(() => {});
    const left = [...spokes];
    const worker = async () => {
      for (let spoke = left.shift(); spoke !== undefined; spoke = left.shift()) await one(spoke, cluster);
    };
    await Promise.all(Array.from({ length: AT_ONCE_A_CLUSTER }, worker));
  });
  await Promise.all(pools);
  const inOrder = new Map([...captured].sort(([one], [other]) => (one < other ? -1 : 1)));
  return { captured: inOrder, errors, asleep };
}

async function readSpoke(
  cluster: Cluster,
  id: string,
  plan: { readonly signal: AbortSignal; readonly spokeTimeoutMs: number },
): Promise<SpokeFiles> {
  const namespace = `nest-hosted-${id}`;
  if (!NAMESPACE.test(namespace) || namespace.length > MOST_NAMESPACE_CHARACTERS) {
    throw new NestError("spoke_id_refused", "its id makes no valid namespace; nothing was run");
  }
  const pod = await deadline(plan.signal, LOOKUP_TIMEOUT_MS, "looking for its pod", (signal) =>
    podOf(cluster, namespace, signal),
  );
  const read = () =>
    deadline(plan.signal, plan.spokeTimeoutMs, "reading it", (signal) =>
      readFiles(cluster, { namespace, pod, signal }),
    );
  try {
    return await read();
  } catch (thrown) {
    // A spoke that hung would hang again; other failures are tried a second time.
    if (plan.signal.aborted || (thrown instanceof NestError && thrown.code === "spoke_timeout")) throw thrown;
    return read();
  }
}

async function podOf(cluster: Cluster, namespace: string, signal: AbortSignal): Promise<string> {
  const pods = await cluster.pods(namespace, signal);
  if (pods.length === 0) throw new NestError("spoke_without_pod", `no running pod in ${namespace}`);
  const running = pods.filter(
    ({ phase, isEnding, containers }) => phase === "Running" && !isEnding && containers.includes(CONTAINER),
  );
  const [pod] = running.map(({ name }) => name).sort();
  if (pod === undefined) throw new NestError("spoke_not_running", `no running pod in ${namespace}`);
  return pod;
}

async function readFiles(
  cluster: Cluster,
  at: { readonly namespace: string; readonly pod: string; readonly signal: AbortSignal },
): Promise<SpokeFiles> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const stdout = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > MOST_STREAM_BYTES) throw new NestError("spoke_too_large", "it sent more than 48 MiB");
    pieces.push(piece);
  };
  const result = await cluster.exec({ ...at, container: CONTAINER, command: READ_SPOKE, stdout });
  const where = `${at.namespace}/${at.pod}`;
  if (result.exitCode !== 0) {
    throw new NestError(
      "spoke_unreadable",
      `exec in ${where} ended with exit code ${result.exitCode}: ${result.stderr}`,
    );
  }
  const files = parseSpokeStream(Buffer.concat(pieces).toString("utf8"));
  if (typeof files === "string") throw new NestError("spoke_unreadable", `${where}: ${files}`);
  return files;
}

async function deadline<Result>(
  outer: AbortSignal,
  ms: number,
  doing: string,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const own = AbortSignal.timeout(ms);
  try {
    return await act(AbortSignal.any([outer, own]));
  } catch (thrown) {
    if (own.aborted && !outer.aborted) throw new NestError("spoke_timeout", `${doing} took longer than ${ms / 1000} s`);
    throw thrown;
  }
}

function reasonOf(thrown: unknown, all: AbortSignal): string {
  const reason = all.aborted ? "the time for all spokes was over" : sentenceOf(thrown);
  return reason.replaceAll(/[\u0000-\u001f\u007f]+/g, " ").slice(0, MOST_REASON_CHARACTERS);
}
