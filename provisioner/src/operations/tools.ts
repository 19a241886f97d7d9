import type { Clock, Log, Random, Secret } from "@nest/kit";
import type { ClusterRecord, HostedNestRecord } from "@nest/protocol";
import type { NestHub, NestSpec } from "../manifests/spec.ts";
import type { CredentialStore } from "../records/credential-store.ts";
import type { RecordStore } from "../records/record-store.ts";
import type { StorageExport } from "../storage-export/storage-export.ts";
import type { Clusters } from "../work/clusters.ts";
import type { Failure, Step, StepContext } from "../work/step.ts";

/** What a hub's nests have in common. */
export interface NestDefaults {
  readonly hub: NestHub;
  /** The heartbeat secret that all nests of the hub share (spec: `NEST_HUB_SECRET`); absent: what a nest has stays. */
  readonly hubSecret: Secret | undefined;
  /** The dashboard token of a new nest; a random one unless the hub makes it. */
  readonly dashboardToken?: ((nestId: string) => Secret) | undefined;
  /** The image of new nests and upgrades; a cluster's own `image` wins. */
  readonly image: string;
  readonly oauthClientId?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** What operations work with. */
export interface Tools {
  readonly records: RecordStore;
  readonly credentials: CredentialStore;
  readonly clusters: Clusters;
  readonly storage: StorageExport;
  readonly defaults: NestDefaults;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** This process among the hub's replicas, and which others live: what those have begun is theirs. */
  readonly replica?: { readonly id: string; readonly isLive: (id: string) => boolean } | undefined;
  /** The image that a nest shall run, where it is another one than its record has. */
  readonly imageOf?: (record: HostedNestRecord) => string | undefined;
}

export type OperationKind = NonNullable<HostedNestRecord["operation"]>["kind"];

/** How one kind of operation goes. */
export interface Operation {
  steps(record: HostedNestRecord): readonly Step[];
  /** The record when all steps are done; undefined: it is buried. */
  done(record: HostedNestRecord): HostedNestRecord | undefined;
  failed(record: HostedNestRecord, failure: Failure): HostedNestRecord;
  /** Puts back what a failure left half done, before the record says that it failed. */
  undo?(context: StepContext, failure: Failure): Promise<void>;
}

/** The image that a cluster's nests shall run. */
export function imageFor(cluster: ClusterRecord, defaults: NestDefaults): string {
  return cluster.image ?? defaults.image;
}

export type SpecTools = Pick<Tools, "defaults" | "storage" | "imageOf">;

/** What a record and its cluster make of a nest. The record's image and replicas are those that were decided last. */
export function specOf(record: HostedNestRecord, cluster: ClusterRecord, tools: SpecTools): NestSpec {
  const { defaults, storage } = tools;
  const oauth = cluster.oauth_client_id;
  return {
    id: record.id,
    owner: record.owner,
    cluster,
    project: {
      org: record.org,
      repos: record.repos,
      primaryRepo: record.primary_repo === "" ? (record.repos[0] ?? "") : record.primary_repo,
      name: record.project_name,
      level: record.acmm_level,
      isPublic: record.is_public,
    },
    auth: authIn(record),
    image: tools.imageOf?.(record) ?? record.image ?? imageFor(cluster, defaults),
    replicas: record.replicas ?? 1,
    hub: defaults.hub,
    oauthClientId: typeof oauth === "string" ? oauth : defaults.oauthClientId,
    environment: { ...defaults.environment, ...cluster.environment },
    volume: storage.volume(record, cluster),
  };
}

/** How a nest proves itself, as its record has it. */
function authIn({
  auth_method: method,
  app_id: appId,
  installation_id: installationId,
}: HostedNestRecord): NestSpec["auth"] {
  if (method === "token") return { kind: "token" };
  if (appId === undefined) return { kind: "none" };
  if (method === "app" && installationId !== undefined) return { kind: "app", appId, installationId };
  return { kind: "app-later", appId, installationId };
}

/** The record of an operation that failed: it can be taken up again. */
export function failedRecord(record: HostedNestRecord, text: string): HostedNestRecord {
  const { operation, ...rest } = record;
  return { ...rest, status: "error", error: text.slice(0, 4000), failed_operation: operation };
}

/** The record of an operation that is done. */
export function doneRecord(record: HostedNestRecord, changes: Partial<HostedNestRecord>): HostedNestRecord {
  const { operation: _, error: __, failed_operation: ___, ...rest } = record;
  return { ...rest, ...changes };
}
