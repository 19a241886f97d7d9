import { z } from "zod";

/** Roles on a nest, rising: each may do what the ones before it may. */
export const nestRoles = ["read", "read-write", "merger", "owner"] as const;
export type NestRole = (typeof nestRoles)[number];

/** Whether a role is at least another one. */
export function isRoleAtLeast(role: NestRole, least: NestRole): boolean {
  return nestRoles.indexOf(role) >= nestRoles.indexOf(least);
}

/** The longest id of a nest: its namespace, `nest-hosted-<id>`, has at most 63 characters. */
export const MOST_NEST_ID = 51;

/** An id of a hosted nest: lower case, as a label of a host name. */
export const NestId = z
  .string()
  .max(MOST_NEST_ID, `at most ${MOST_NEST_ID} characters`)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, "only a-z, 0-9 and -, not at either end");

/** The namespace of a hosted nest (spec: Hosted instance record). */
export function namespaceOf(nestId: string): string {
  return `nest-hosted-${nestId}`;
}

/**
 * Where a hosted nest stands (spec: Hosted instance status). `available`: a placeholder that nobody has claimed. A record that
 * was written by hand may have none.
 */
export const hostedStatuses = ["provisioning", "running", "available", "error", "paused", "deleting"] as const;
export type HostedStatus = (typeof hostedStatuses)[number];

/** One step of provisioning, as the record keeps it: a hub that was killed goes on after the last one that is done. */
export const NestStep = z.looseObject({
  name: z.string().max(60),
  state: z.enum(["waiting", "running", "done", "failed", "skipped"]),
  attempt: z.number().int().default(0),
  /** Why the last attempt failed, and what can be done about it. */
  error: z.string().max(2000).optional(),
  /** What is waited for, in words: a place in the line, a pod's condition. */
  note: z.string().max(500).optional(),
  /** When the state changed last. */
  at: z.string().optional(),
});
export type NestStep = z.infer<typeof NestStep>;

/**
 * A hosted nest: `<data>/saas/nests/<id>/meta.json` (spec: Hosted instance record). Keys of others are kept; a record written by
 * hand may leave out everything but its owner and project.
 */
export const HostedNestRecord = z.looseObject({
  id: NestId,
  owner: z.string().max(100).default(""),
  project_name: z.string().max(200).default(""),
  org: z.string().max(200).default(""),
  repos: z.array(z.string().max(200)).max(500).default([]),
  primary_repo: z.string().max(200).default(""),
  acmm_level: z.number().int().min(0).max(6).default(2),
  /** One of `hostedStatuses`; empty in a record written by hand; a word of another release is shown as it is. */
  status: z.string().max(60).default(""),
  error: z.string().max(4000).optional(),
  created_at: z.string().max(60).default(""),
  subdomain: z.string().max(300).default(""),
  auto_upgrade: z.boolean().default(false),
  /** Absent means public. */
  is_public: z.boolean().default(true),
  cluster_id: z.string().max(100).default(""),
  objstore_file_system_id: z.string().max(300).default(""),
  objstore_export_id: z.string().max(300).default(""),
  /** `app`, `app-later` or `token`; absent for a placeholder. */
  auth_method: z.string().max(40).optional(),
  app_id: z.string().max(40).optional(),
  installation_id: z.string().max(40).optional(),
  /** What the Deployment was told to run; 0 while paused and for a placeholder. */
  replicas: z.number().int().min(0).optional(),
  /** The image that the Deployment names, and the one that an upgrade is about to bring. */
  image: z.string().max(500).optional(),
  /** What is under way: absent when nothing is. A hub that was killed takes it up again. */
  operation: z
    .looseObject({
      kind: z.enum(["provision", "claim", "upgrade", "pause", "resume", "migrate", "delete", "repair"]),
      by: z.string().max(100),
      at: z.string(),
      /** The cluster to which a migration goes. */
      to_cluster: z.string().max(100).optional(),
      image: z.string().max(500).optional(),
    })
    .optional(),
  steps: z.array(NestStep).max(60).default([]),
  /** Counts the changes of this record: who changes it says which one was read. */
  revision: z.number().int().default(0),
});
export type HostedNestRecord = z.infer<typeof HostedNestRecord>;

/** What is left of a deleted nest, so that a late heartbeat does not bring it back: `<data>/saas/tombstones/<id>.json`. */
export const NestTombstone = z.looseObject({
  id: z.string(),
  owner: z.string().default(""),
  cluster_id: z.string().default(""),
  deleted_at: z.string(),
  deleted_by: z.string().default(""),
});
export type NestTombstone = z.infer<typeof NestTombstone>;

/** Something that a cluster lacks before any nest can live on it, in a sentence, and the command that brings it. */
export const MissingPart = z.looseObject({ what: z.string().max(500), command: z.string().max(500).optional() });
export type MissingPart = z.infer<typeof MissingPart>;

/**
 * A cluster of `clusters.json`: the names that we write. Longer names of earlier hubs are read as well (`clusterEntryOf`). Keys
 * of others are kept.
 */
export const ClusterRecord = z.looseObject({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "only letters, digits, '.', '_' and '-'"),
  name: z.string().max(200).optional(),
  kubeconfig_path: z.string().max(1000).optional(),
  context: z.string().max(200).optional(),
  in_cluster: z.boolean().optional(),
  /** The hub never touches it: people apply the objects by hand. */
  pull_only: z.boolean().optional(),
  /** Nests are at `<id>.<domain>`. */
  domain: z
    .string()
    .max(200)
    .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, "not a host name")
    .optional(),
  ingress: z.enum(["ingress", "route"]).optional(),
  ingress_class: z.string().max(100).optional(),
  /** The Secret with the certificate of `*.<domain>`, in the namespace of each nest or as the controller's default. */
  tls_secret: z.string().max(253).optional(),
  storage_class: z.string().max(253).optional(),
  /** The security context class that `nest-anyuid` binds. */
  scc: z.string().max(253).optional(),
  /** Nests on it, placeholders included; absent: as many as come. */
  max_nests: z.number().int().min(0).optional(),
  /** Idle nests that wait to be claimed. */
  placeholders: z.object({ min: z.number().int().min(0), target: z.number().int().min(0) }).optional(),
  image: z.string().max(500).optional(),
  /** The port at which its entrance answers, where that is not the usual one. */
  ingress_port: z.number().int().min(1).max(65_535).optional(),
  /** Where its nests reach the hub, where that is not the hub's public address. */
  hub_url: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .meta({ examples: ["https://hub.example"] })
    .optional(),
  /** Further variables of its nests, such as `NEST_GITHUB_API_URL`; no secrets. */
  environment: z
    .record(z.string().regex(/^[A-Z][A-Z0-9_]{0,99}$/), z.string().max(1000))
    .meta({ examples: [{ NEST_GITHUB_API_URL: "https://code.example/api/v3" }] })
    .optional(),
  /** What it lacks. As long as there is something, the hub makes no nest on it. */
  missing: z.array(MissingPart).max(20).optional(),
});
export type ClusterRecord = z.infer<typeof ClusterRecord>;

/**
 * The address of a nest under its host name, with or without a port. Names below `localhost` are this machine (RFC 6761): no
 * certificate can be had for them, and none is needed.
 */
export function nestAddress(subdomain: string): string {
  return `${/\.localhost(?::\d+)?$/.test(subdomain) ? "http" : "https"}://${subdomain}`;
}
