import { join } from "node:path";
import {
  type CancelTimer,
  type Clock,
  type Log,
  makePrivateFolder,
  readTextIfPresent,
  sentenceOf,
  writeFileAtomic,
} from "@nest/kit";
import { type ClusterRecord, type HostedNestRecord, nests } from "@nest/protocol";
import { digestIn, isChannel, nameOf, pinned } from "../manifests/image-channel.ts";
import type { ClustersFile } from "../records/clusters-file.ts";
import type { RecordStore } from "../records/record-store.ts";

const LOOK_MS = 60_000;
/** So many nests of a cluster are upgraded at once, after the first one has come up. */
const WAVE = 10;
/** So many failures of one image on a cluster, and the others keep what works. */
const MOST_FAILURES = 2;

export type RunningDigest = (nestId: string) => string | undefined;

export interface AutoUpgradeDeps {
  readonly dataFolder: string;
  readonly records: RecordStore;
  readonly clustersFile: Pick<ClustersFile, "list">;
  /** The image that nests of a cluster shall follow. */
  readonly imageOf: (cluster: ClusterRecord) => string;
  /** Which digest a tag stands for now; undefined where its registry does not say. */
  readonly digestOf: (image: string) => Promise<string | undefined>;
  /** By nest, the digest that its pod on this cluster runs; undefined where it has none, or none says. */
  readonly running: (clusterId: string) => Promise<RunningDigest>;
  readonly upgrade: (id: string, image: string) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Brings the newest image to nests with `auto_upgrade`, in waves: first one nest of a cluster, then ten at a time. An image that
 * failed twice on a cluster goes no further there, and one switch stops it all. A channel such as `stable` is followed by what its
 * registry says it stands for: when the tag moves, that is a new image.
 */
export class AutoUpgrade {
  readonly #deps: AutoUpgradeDeps;
  #end: CancelTimer | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(deps: AutoUpgradeDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#end = this.#deps.clock.every(LOOK_MS, () => {
      this.#looking = this.#looking
        .then(() => this.look())
        .catch((thrown: unknown) => this.#deps.log.error({ err: thrown }, "nests cannot be upgraded"));
    });
  }

  async close(): Promise<void> {
    this.#end?.();
    await this.#looking;
  }

  /** Whether upgrades by themselves are stopped; a file that cannot be understood stops them. */
  async pause(): Promise<nests.UpgradePause> {
    const text = await readTextIfPresent(this.#file);
    if (text === undefined) return { paused: false };
    try {
      return nests.UpgradePause.parse(JSON.parse(text));
    } catch {
      return { paused: true };
    }
  }

  /** @param note why, for other admins. */
  async setPause(paused: boolean, by: string, note?: string): Promise<nests.UpgradePause> {
    const at = new Date(this.#deps.clock.now()).toISOString();
    const value = { paused, by, at, ...(note === undefined ? {} : { note }) };
    await makePrivateFolder(join(this.#deps.dataFolder, "saas"));
    await writeFileAtomic(this.#file, `${JSON.stringify(value)}\n`);
    return value;
  }

  /** Begins what is due now. */
  async look(): Promise<void> {
    if ((await this.pause()).paused) return;
    const records = await this.#deps.records.list();
    for (const { record: cluster, pullOnlyBecause } of await this.#deps.clustersFile.list()) {
      if (pullOnlyBecause !== undefined) continue;
      const here = records.filter((one) => one.cluster_id === cluster.id);
      const image = await this.#meantBy(this.#deps.imageOf(cluster));
      const running = await this.#deps.running(cluster.id).catch(() => () => undefined);
      for (const { id } of due(here, image, running)) {
        await this.#deps.upgrade(id, image).catch((thrown: unknown) => {
          this.#deps.log.warn({ nest: id, because: sentenceOf(thrown) }, "a nest cannot be upgraded");
        });
      }
    }
  }

  /** A channel by the digest that it stands for now, so that its move is a change of the image; other images as they are. */
  async #meantBy(image: string): Promise<string> {
    const digest = isChannel(image) ? await this.#deps.digestOf(image) : undefined;
    return digest === undefined ? image : pinned(image, digest);
  }

  get #file(): string {
    return join(this.#deps.dataFolder, "saas", "upgrade-pause.json");
  }
}

/** The nests of one cluster whose upgrade to an image begins now. */
export function due(
  records: readonly HostedNestRecord[],
  image: string,
  running: RunningDigest = () => undefined,
): readonly HostedNestRecord[] {
  const failures = records.filter((record) => failedImage(record) === image).length;
  if (failures >= MOST_FAILURES) return [];
  const underWay = records.filter(({ operation }) => operation?.kind === "upgrade" && operation.image === image).length;
  const runsIt = ({ id, image: has }: HostedNestRecord) =>
    has === image || (has === nameOf(image) && digestIn(image) !== undefined && running(id) === digestIn(image));
  const isProven = records.some((record) => record.status === "running" && runsIt(record));
  const isWanted = (record: HostedNestRecord) =>
    record.auto_upgrade &&
    record.operation === undefined &&
    ["running", "available", "paused"].includes(record.status) &&
    record.image !== undefined &&
    !isCurrent(record, record.image, image, running) &&
    failedImage(record) !== image;
  const candidates = records.filter(isWanted);
  // A nest without a pod proves nothing, so it does not go first.
  const first = candidates.filter(({ status }) => status === "running");
  if (!isProven && first.length > 0) return underWay > 0 ? [] : first.slice(0, 1);
  return candidates.slice(0, Math.max(0, WAVE - underWay));
}

/**
 * Whether a nest has the image already. One that has a channel's mere name and no pod looks its tag up when it starts; and of a
 * channel whose digest nobody knows no nest is behind.
 */
function isCurrent({ id }: HostedNestRecord, has: string, wanted: string, running: RunningDigest): boolean {
  if (has === wanted) return true;
  if (nameOf(has) !== nameOf(wanted)) return false;
  const [mine, digest] = [digestIn(has) ?? running(id), digestIn(wanted)];
  return mine === undefined || digest === undefined || mine === digest;
}

function failedImage({ failed_operation: failed }: HostedNestRecord): string | undefined {
  const { kind, image } = (failed ?? {}) as { readonly kind?: string; readonly image?: string };
  return kind === "upgrade" ? image : undefined;
}
