import type { NodeApi } from "./node-api.ts";
import { type ContainerSpec, type EnvironmentVariable, NotStarted, type PodObject } from "./pod-shape.ts";

/** Where a pod is, for `fieldRef`. */
export interface PodPlace {
  readonly ip: string;
  readonly gateway: string;
}

/** The environment of a container, with what it takes from Secrets, ConfigMaps and the pod itself. */
export async function environmentOf(
  api: NodeApi,
  pod: PodObject,
  container: ContainerSpec,
  place: PodPlace,
): Promise<Readonly<Record<string, string>>> {
  const { namespace } = pod.metadata;
  const found: Record<string, string> = {};
  for (const { prefix = "", secretRef, configMapRef } of container.envFrom ?? []) {
    const ref = secretRef ?? configMapRef;
    if (ref === undefined) continue;
    const values = await api.values(secretRef === undefined ? "configmaps" : "secrets", namespace, ref.name);
    if (values === undefined && ref.optional !== true) throw missing(secretRef ? "secret" : "configmap", ref.name);
    for (const [key, value] of values ?? []) found[`${prefix}${key}`] = value.toString("utf8");
  }
  for (const variable of container.env ?? []) {
    const value = await valueIn(api, pod, variable, place);
    if (value !== undefined) found[variable.name] = expanded(value, found);
  }
  return found;
}

/** `$(NAME)` in a text becomes the variable's value, `$$(NAME)` stays `$(NAME)`; what is unknown stays as it is. */
export function expanded(text: string, environment: Readonly<Record<string, string>>): string {
  return text.replace(/\$?\$\(([^)]+)\)/g, (whole, name: string) =>
    whole.startsWith("$$") ? whole.slice(1) : (environment[name] ?? whole),
  );
}

async function valueIn(
  api: NodeApi,
  pod: PodObject,
  { value, valueFrom }: EnvironmentVariable,
  place: PodPlace,
): Promise<string | undefined> {
  if (valueFrom === undefined) return value ?? "";
  if (valueFrom.fieldRef !== undefined) return fieldOf(pod, valueFrom.fieldRef.fieldPath, place);
  const ref = valueFrom.secretKeyRef ?? valueFrom.configMapKeyRef;
  if (ref === undefined) throw new NotStarted("CreateContainerConfigError", "this source of a value is not supported");
  const word = valueFrom.secretKeyRef === undefined ? "configmap" : "secret";
  const values = await api.values(`${word}s`, pod.metadata.namespace, ref.name);
  const found = values?.get(ref.key)?.toString("utf8");
  if (found !== undefined || ref.optional === true) return found;
  if (values === undefined) throw missing(word, ref.name);
  const where = `${word === "secret" ? "Secret" : "ConfigMap"} ${pod.metadata.namespace}/${ref.name}`;
  throw new NotStarted("CreateContainerConfigError", `couldn't find key ${ref.key} in ${where}`);
}

function fieldOf(pod: PodObject, path: string, place: PodPlace): string {
  const { name, namespace, uid, labels, annotations } = pod.metadata;
  const [, kind, key = ""] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? [];
  if (kind === "labels") return labels?.[key] ?? "";
  if (kind === "annotations") return annotations?.[key] ?? "";
  const fields: Readonly<Record<string, string>> = {
    "metadata.name": name,
    "metadata.namespace": namespace,
    "metadata.uid": uid,
    "spec.nodeName": pod.spec.nodeName ?? "",
    "spec.serviceAccountName": pod.spec.serviceAccountName ?? "default",
    "status.podIP": place.ip,
    "status.hostIP": place.gateway,
  };
  const value = fields[path];
  if (value === undefined) throw new NotStarted("CreateContainerConfigError", `unsupported fieldPath: ${path}`);
  return value;
}

function missing(word: string, name: string): NotStarted {
  return new NotStarted("CreateContainerConfigError", `${word} "${name}" not found`);
}
