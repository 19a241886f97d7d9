import { replicaOf } from "@nest/dispatch";
import type { SimulatedDisk, Storage } from "./simulated-disk.ts";

export interface WorldOptions {
  readonly failureKind?: string;
  /** Processes that are one hub together; more than one share the disk. */
  readonly hubs?: number;
  /** Another storage than the simulated disk; whatever is committed there must be told to `disk`. */
  readonly storage?: (
    disk: SimulatedDisk,
    isLive: (connection: string) => boolean,
    now: () => number,
  ) => (replica: string) => Storage;
}

/** What each replica of a world stores in. `live` are the replicas that are up. */
export function storageOf(
  { hubs = 1, storage }: WorldOptions,
  disk: SimulatedDisk,
  live: ReadonlySet<string>,
  now: () => number,
): (replica: string) => Storage {
  const isLive = (connection: string) => live.has(replicaOf(connection));
  return storage?.(disk, isLive, now) ?? ((replica) => (hubs === 1 ? disk.alone() : disk.shared(replica, isLive)));
}
