import { stringify } from "yaml";
import { checkSpec } from "./manifests/check-spec.ts";
import { configMap, secret } from "./manifests/config.ts";
import { deployment } from "./manifests/deployment.ts";
import { ingress } from "./manifests/ingress.ts";
import { limitRange, resourceQuota } from "./manifests/limits.ts";
import { namespace, serviceAccount } from "./manifests/namespace.ts";
import { networkPolicy } from "./manifests/network-policy.ts";
import type { DesiredObject } from "./manifests/object.ts";
import { rbac } from "./manifests/rbac.ts";
import { routes } from "./manifests/routes.ts";
import { service } from "./manifests/service.ts";
import type { NestSecrets, NestSpec } from "./manifests/spec.ts";
import { volume } from "./manifests/volume.ts";

/** The steps that apply objects, in the spec's order. */
export const objectSteps = [
  "namespace",
  "limits",
  "roles",
  "volume",
  "config",
  "secrets",
  "service",
  "entrance",
  "deployment",
] as const;
export type ObjectStep = (typeof objectSteps)[number];

/**
 * The objects of a nest by step, in the order in which they are applied (spec: Manual provisioning object set). Without `secrets`
 * the Secret is left out: its values are known once, when the nest is created, and the hub keeps none of them.
 *
 * @throws NestError `nest_spec_invalid` with one line per fault.
 */
export function objectsByStep(
  spec: NestSpec,
  secrets?: NestSecrets,
): Readonly<Record<ObjectStep, readonly DesiredObject[]>> {
  checkSpec(spec);
  return {
    namespace: [namespace(spec), serviceAccount(spec)],
    limits: [limitRange(spec), resourceQuota(spec), networkPolicy(spec)],
    roles: rbac(spec),
    volume: volume(spec),
    config: [configMap(spec)],
    secrets: secrets === undefined ? [] : [secret(spec, secrets)],
    service: [service(spec)],
    entrance: spec.cluster.ingress === "route" ? routes(spec) : ingress(spec),
    deployment: [deployment(spec)],
  };
}

/** All objects of a nest in order; see {@link objectsByStep}. */
export function desiredObjects(spec: NestSpec, secrets?: NestSecrets): readonly DesiredObject[] {
  const byStep = objectsByStep(spec, secrets);
  return objectSteps.flatMap((step) => byStep[step]);
}

/** Objects as YAML documents for `kubectl apply -f -`. Written by a library, so that no value can become structure. */
export function yamlOf(objects: readonly DesiredObject[]): string {
  return objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join("---\n");
}
