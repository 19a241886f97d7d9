import { ownedMetadataOf } from "./metadata.ts";
import type { DesiredObject } from "./object.ts";
import { seedOf } from "./seed.ts";
import type { NestSecrets, NestSpec } from "./spec.ts";

export const CONFIG = "nest-config";
export const SECRETS = "nest-secrets";
/** What stands in a Secret until somebody puts the real value there. */
export const PLACEHOLDER = "placeholder";

export function configMap(spec: NestSpec): DesiredObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: ownedMetadataOf(spec, CONFIG),
    data: { "nest.yaml": seedOf(spec) },
  };
}

/** The Secret `nest-secrets` (spec: keys `dashboard-token`, app key file, `litellm_api_key`). `data` and not `stringData`, because a
 * server that applies the latter forgets who owns it. */
export function secret(spec: NestSpec, secrets: NestSecrets): DesiredObject {
  const values: Record<string, string> = {
    "dashboard-token": secrets.dashboardToken?.reveal() ?? PLACEHOLDER,
    "app-key.pem": secrets.appKey?.reveal() ?? PLACEHOLDER,
    litellm_api_key: secrets.litellmApiKey?.reveal() ?? PLACEHOLDER,
    "hub-secret": secrets.hubSecret?.reveal() ?? PLACEHOLDER,
  };
  if (secrets.githubToken !== undefined) values["github-token"] = secrets.githubToken.reveal();
  for (const [key, value] of Object.entries(secrets.more ?? {})) values[key] = value.reveal();
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: ownedMetadataOf(spec, SECRETS),
    type: "Opaque",
    data: Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
    ),
  };
}
