import type { Cluster } from "@nest/cluster";
import type { Clock, Environment, Log, Random } from "@nest/kit";
import type { FleetSpoke } from "../fleet/fleet.ts";
import type { Blobs } from "../storage/blobs.ts";

/** Everything a command takes from outside; a test passes its own. */
export interface BackupDeps {
  readonly environment: Environment;
  /** Of this release; every archive tells it. */
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Results, for people or as JSON. */
  print(text: string): void;
  /** Where long work has got to; shown at a terminal only. */
  tell(text: string): void;
  openBlobs(): Promise<Blobs>;
  hubCluster(): Promise<Cluster>;
  spokeCluster(spoke: FleetSpoke): Promise<Cluster>;
}
