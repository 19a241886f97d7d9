import { type Environment, type Random, UsageError, variable } from "@nest/kit";
import { ClusterRecord, type HostedNestRecord, MOST_NEST_ID, NestId } from "@nest/protocol";
import { authorityOf, type NestAuth, type NestSpec, newNestId } from "@nest/provisioner";
import { USAGE } from "./usage.ts";

/** The flags of all verbs. */
export const instanceFlags = {
  id: "text",
  owner: "text",
  org: "text",
  repos: "text",
  "primary-repo": "text",
  name: "text",
  level: "number",
  private: "switch",
  "app-id": "text",
  "installation-id": "text",
  domain: "text",
  entrance: "text",
  scc: "text",
  "storage-class": "text",
  "ingress-class": "text",
  "tls-secret": "text",
  "oauth-client-id": "text",
  image: "text",
  "hub-url": "text",
  "hub-id": "text",
  replicas: "number",
  kubeconfig: "text",
  context: "text",
  secrets: "switch",
  meta: "switch",
  data: "text",
  "cluster-id": "text",
  wait: "number",
  confirm: "text",
  json: "switch",
} as const;

type Kinds = typeof instanceFlags;
export type InstanceFlags = {
  readonly [Name in keyof Kinds]?: Kinds[Name] extends "switch"
    ? boolean
    : Kinds[Name] extends "number"
      ? number
      : string;
};

/** The project that flags name. @throws UsageError. */
export function projectOf(flags: InstanceFlags): NestSpec["project"] {
  const repos = (flags.repos ?? "").split(",").map((one) => one.trim());
  const given = repos.filter((one) => one !== "");
  const org = required(flags, "org");
  const primaryRepo = flags["primary-repo"] ?? given[0] ?? required(flags, "repos");
  if (!given.includes(primaryRepo)) throw new UsageError("-primary-repo: not one of -repos");
  const level = flags.level ?? 2;
  if (level < 1 || level > 6) throw new UsageError("-level: expected 1 to 6");
  const name = flags.name ?? primaryRepo.split("/").at(-1) ?? org;
  return { org, repos: given, primaryRepo, name, level, isPublic: flags.private !== true };
}

/** What flags say of how the nest proves itself. `hasKey`, `hasToken`: what standard input brings. */
export function authOf(
  flags: InstanceFlags,
  given: { readonly hasKey: boolean; readonly hasToken: boolean },
): NestAuth {
  const { "app-id": appId, "installation-id": installationId } = flags;
  if (appId === undefined) return { kind: given.hasToken ? "token" : "none" };
  if (installationId !== undefined && given.hasKey) return { kind: "app", appId, installationId };
  return { kind: "app-later", appId, installationId };
}

/** The nest that flags describe. @throws UsageError naming the flag. */
export async function specOfFlags(
  flags: InstanceFlags,
  auth: NestAuth,
  deps: { readonly environment: Environment; readonly random: Random },
): Promise<NestSpec> {
  const project = projectOf(flags);
  const id = flags.id === undefined ? await newNestId(project, deps.random, async () => false) : idOf(flags);
  const prefix = variable(deps.environment, "NEST_IMAGE_PREFIX") ?? "localhost";
  return {
    id,
    owner: flags.owner ?? "",
    cluster: clusterOfFlags(flags),
    project,
    auth,
    image: flags.image ?? `${prefix}/nest-spoke:stable`,
    replicas: flags.replicas ?? 1,
    hub: { id: flags["hub-id"] ?? "manual", url: required(flags, "hub-url"), isProxy: true },
    oauthClientId: flags["oauth-client-id"],
  };
}

/** The cluster as `clusters.json` would have it. @throws UsageError. */
export function clusterOfFlags(flags: InstanceFlags): ClusterRecord {
  const named = {
    id: flags["cluster-id"] ?? "manual",
    pull_only: true,
    domain: flags.domain,
    ingress: flags.entrance ?? "route",
    scc: flags.scc,
    storage_class: flags["storage-class"],
    ingress_class: flags["ingress-class"],
    tls_secret: flags["tls-secret"],
  };
  const checked = ClusterRecord.safeParse(
    Object.fromEntries(Object.entries(named).filter(([, one]) => one !== undefined)),
  );
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const flag = issue?.path[0] === "ingress" ? "entrance" : String(issue?.path[0] ?? "").replace("_", "-");
  throw new UsageError(`-${flag}: ${issue?.message.toLowerCase() ?? "wrong"}`);
}

/** The record that the hub keeps of a nest that was made by hand (spec: Hosted instance record). */
export function recordOf(spec: NestSpec, status: string, at: string): HostedNestRecord {
  const { auth, project } = spec;
  const app = "appId" in auth ? { app_id: auth.appId } : {};
  const installation = "installationId" in auth && auth.installationId ? { installation_id: auth.installationId } : {};
  return {
    id: spec.id,
    owner: spec.owner,
    project_name: project.name,
    org: project.org,
    primary_repo: project.primaryRepo,
    repos: [...project.repos],
    acmm_level: project.level,
    status,
    created_at: at,
    subdomain: authorityOf(spec) ?? "",
    auto_upgrade: false,
    is_public: project.isPublic,
    cluster_id: spec.cluster.id,
    objstore_file_system_id: "",
    objstore_export_id: "",
    ...(auth.kind === "none" ? {} : { auth_method: auth.kind }),
    ...app,
    ...installation,
    replicas: spec.replicas,
    image: spec.image,
    steps: [],
    revision: 1,
  };
}

/** The id that flags name: part of a namespace and of a path. @throws UsageError. */
export function idOf(flags: InstanceFlags): string {
  const id = required(flags, "id");
  if (NestId.safeParse(id).success) return id;
  throw new UsageError(`-id: at most ${MOST_NEST_ID} of a-z, 0-9 and -, not - at either end`);
}

/** @throws UsageError with the usage below it. */
export function required(flags: InstanceFlags, name: "id" | "org" | "repos" | "hub-url" | "owner"): string {
  const value = flags[name];
  if (value === undefined || value === "") throw new UsageError(`flag -${name} is required`, { usage: USAGE });
  return value;
}
