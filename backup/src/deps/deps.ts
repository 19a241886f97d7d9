import type { Cluster } from "@nest/cluster";
import type { Clock, Environment, Log, Random } from "@nest/kit";
import type { FleetSpoke } from "../fleet/fleet.ts";
import type { Blobs } from "../storage/blobs.ts";

/** A command's dependencies on the outside world; tests pass their own. */
export interface BackupDeps {
  readonly environment: Environment;
  /** This release's version; every archive records it. */
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Prints results, for people or as JSON. */
  print(text: string): void;
  /** Shows the progress of long work, on a terminal only. */
  tell(text: string): void;
  openBlobs(): Promise<Blobs>;
  hubCluster(): Promise<Cluster>;
  spokeCluster(spoke: FleetSpoke): Promise<Cluster>;
}
