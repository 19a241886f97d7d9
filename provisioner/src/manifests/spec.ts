import type { Secret } from "@nest/kit";
import type { ClusterRecord } from "@nest/protocol";

/**
 * How a nest proves itself to the code host. `none`: a placeholder that nobody has claimed. `app-later`: an app is named, but it is
 * not installed or has no key yet (spec: Hosted instance create request).
 */
export type NestAuth =
  | { readonly kind: "none" | "token" }
  | { readonly kind: "app"; readonly appId: string; readonly installationId: string }
  | { readonly kind: "app-later"; readonly appId: string; readonly installationId?: string | undefined };

/** What a nest works on. */
export interface NestProject {
  readonly org: string;
  readonly repos: readonly string[];
  readonly primaryRepo: string;
  /** The name that people read. */
  readonly name: string;
  /** 0 to 6 (spec: `acmm_level`). */
  readonly level: number;
  readonly isPublic: boolean;
}

/** What a nest has to know of its hub. */
export interface NestHub {
  /** Marks every object, so that two hubs on one cluster keep out of each other's way. */
  readonly id: string;
  /** The address at which nests and browsers reach the hub. */
  readonly url: string;
  /** Whether the hub's ingress signs people in (spec: `dashboard.hub_proxied`); never where the cluster has Routes. */
  readonly isProxy: boolean;
}

/** All that a hosted nest is made of but its secrets. */
export interface NestSpec {
  readonly id: string;
  /** Login of the owner; empty for a placeholder. */
  readonly owner: string;
  readonly cluster: ClusterRecord;
  readonly project: NestProject;
  readonly auth: NestAuth;
  readonly image: string;
  readonly replicas: number;
  readonly hub: NestHub;
  /** Public client id of the device-flow sign-in, for nests without the hub's proxy. */
  readonly oauthClientId?: string | undefined;
  /** Further variables of the nest's container, such as `NEST_GITHUB_API_URL`; no secrets. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** What a storage export gives the volume claim; absent: the cluster's storage class provisions it. */
  readonly volume?: NestVolume | undefined;
}

/** A share of a file server that becomes the nest's volume. */
export interface NestVolume {
  readonly kind: "nfs";
  readonly server: string;
  readonly path: string;
}

/** The values of the Secret `nest-secrets`. What is absent is a placeholder until somebody puts the real value there. */
export interface NestSecrets {
  /** 64 hexadecimal characters, with which the hub's proxy proves itself. */
  readonly dashboardToken?: Secret | undefined;
  /** The heartbeat secret, the same for all nests of a hub. */
  readonly hubSecret?: Secret | undefined;
  readonly githubToken?: Secret | undefined;
  readonly appKey?: Secret | undefined;
  readonly litellmApiKey?: Secret | undefined;
  /** Further entries: the credential of a storage prefix. */
  readonly more?: Readonly<Record<string, Secret>> | undefined;
}

/** The host name of a nest; undefined where its cluster has no domain. */
export function hostOf(spec: Pick<NestSpec, "id" | "cluster">): string | undefined {
  return spec.cluster.domain === undefined ? undefined : `${spec.id}.${spec.cluster.domain}`;
}

/** The same with the port, where its entrance does not answer at the usual one: what its record keeps as `subdomain`. */
export function authorityOf(spec: Pick<NestSpec, "id" | "cluster">): string | undefined {
  const host = hostOf(spec);
  const port = spec.cluster.ingress_port;
  return host === undefined || port === undefined ? host : `${host}:${port}`;
}

/** Whether the hub's ingress signs people in for this nest. Routes ask nobody, so the nest has to do it itself. */
export function isHubProxied(spec: Pick<NestSpec, "cluster" | "hub">): boolean {
  return spec.hub.isProxy && spec.cluster.ingress !== "route";
}
