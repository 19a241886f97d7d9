import { NestError } from "@nest/kit";
import { ClusterRecord, NestId } from "@nest/protocol";
import type { NestSpec } from "./spec.ts";

const DNS_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const NAME = /^[A-Za-z0-9._-]{1,200}$/;
const REPO = /^(?:[A-Za-z0-9._-]{1,100}\/)?[A-Za-z0-9._-]{1,100}$/;
const IMAGE = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,499}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/**
 * Refuses a spec with a value that no cluster would take, or that would mean something to whoever reads it further on: an ingress
 * controller writes annotations into its own configuration.
 *
 * @throws NestError `nest_spec_invalid` with one line per fault.
 */
export function checkSpec(spec: NestSpec): void {
  const faults = [...faultsOf(spec)];
  const [first] = faults;
  if (first === undefined) return;
  throw new NestError("nest_spec_invalid", `the nest cannot be made: ${first}`, { faults });
}

function* faultsOf(spec: NestSpec): Generator<string> {
  if (!NestId.safeParse(spec.id).success) yield "id: 1 to 51 of a-z, 0-9 and -, not - at either end";
  yield* projectFaults(spec);
  yield* clusterFaults(spec);
  if (!isPlainHttp(spec.hub.url)) yield "hub.url: an http or https address with nothing but host, port and path";
  if (CONTROL.test(spec.hub.id) || spec.hub.id === "" || spec.hub.id.length > 200) yield "hub.id: not a name";
  if (!IMAGE.test(spec.image)) yield "image: not the name of an image";
  if (!Number.isInteger(spec.replicas) || spec.replicas < 0 || spec.replicas > 1) yield "replicas: 0 or 1";
  for (const [name, value] of Object.entries(spec.environment ?? {}))
    if (!VARIABLE.test(name) || CONTROL.test(value)) yield `environment: ${JSON.stringify(name)} is no variable`;
  yield* authFaults(spec);
}

function* projectFaults({ owner, project }: NestSpec): Generator<string> {
  if (owner !== "" && !NAME.test(owner)) yield "owner: not a login";
  if (!NAME.test(project.org) || isDots(project.org)) yield "project.org: not a name of the code host";
  for (const repo of [...project.repos, project.primaryRepo])
    if (!REPO.test(repo) || repo.split("/").some(isDots))
      yield `project.repos: ${JSON.stringify(repo)} is no repository`;
  if (CONTROL.test(project.name) || project.name.length > 200)
    yield "project.name: has characters that cannot be shown";
  const { level } = project;
  if (!Number.isInteger(level) || level < 0 || level > 6) yield "project.level: 0 to 6";
}

function* clusterFaults({ cluster, volume }: NestSpec): Generator<string> {
  for (const issue of ClusterRecord.safeParse(cluster).error?.issues ?? [])
    yield `cluster.${issue.path.join(".")}: ${issue.message}`;
  for (const key of ["ingress_class", "tls_secret", "storage_class", "scc", "ingress_namespace"] as const) {
    const value = cluster[key];
    if (value !== undefined && !(typeof value === "string" && DNS_NAME.test(value))) yield `cluster.${key}: not a name`;
  }
  if (volume === undefined) return;
  if (!/^[A-Za-z0-9.:-]{1,253}$/.test(volume.server)) yield "volume.server: not a host";
  if (!/^\/[A-Za-z0-9._/-]{1,1000}$/.test(volume.path) || volume.path.split("/").includes(".."))
    yield "volume.path: not an absolute path";
}

function* authFaults({ auth, oauthClientId }: NestSpec): Generator<string> {
  const digits = (value: string | undefined) => value === undefined || /^\d{1,20}$/.test(value);
  if (auth.kind === "app" || auth.kind === "app-later") {
    if (!digits(auth.appId)) yield "app_id: digits only";
    if (!digits(auth.installationId)) yield "installation_id: digits only";
  }
  if (oauthClientId !== undefined && !/^[A-Za-z0-9._-]{1,100}$/.test(oauthClientId)) yield "oauth_client_id: not an id";
}

/** Characters that mean something to nginx, a shell or a header are refused and not escaped. */
function isPlainHttp(text: string): boolean {
  if (!/^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[A-Za-z0-9._~/-]*)?$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

function isDots(name: string): boolean {
  return name === "." || name === "..";
}
