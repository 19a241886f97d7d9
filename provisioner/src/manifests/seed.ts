import { nestAddress } from "@nest/protocol";
import { stringify } from "yaml";
import { authorityOf, isHubProxied, type NestAuth, type NestSpec } from "./spec.ts";

/** The word that stands for an app that does not exist yet: a nest without `app_id` and token would refuse to boot (spec). */
export const PLACEHOLDER_APP = "placeholder";

/** The seed of a nest's configuration, `nest.yaml` (spec: Spoke configuration file). It holds no secret. */
export function seedOf(spec: NestSpec): string {
  return stringify(seedTree(spec), { lineWidth: 0 });
}

/** The same as data: what a claim lays over an overlay that is there already. */
export function seedTree(spec: NestSpec): Readonly<Record<string, unknown>> {
  const authority = authorityOf(spec);
  const address = authority === undefined ? undefined : nestAddress(authority);
  const { project, hub } = spec;
  return {
    project: { org: project.org, repos: [...project.repos], primary_repo: project.primaryRepo },
    agents: {
      guide: { backend: "claude", enabled: false },
      scanner: { backend: "claude", enabled: false },
    },
    governor: {
      eval_interval_s: 300,
      modes: {
        idle: { threshold: 0, guide: "4h", scanner: "4h" },
        busy: { threshold: 10, guide: "2h", scanner: "2h" },
      },
    },
    github: {
      ...githubOf(spec.auth),
      ...(spec.oauthClientId === undefined ? {} : { oauth_client_id: spec.oauthClientId }),
    },
    dashboard: {
      port: 3002,
      ...(address === undefined ? {} : { public_url: address }),
      hub_proxied: isHubProxied(spec),
      ...(spec.owner === "" || isHubProxied(spec) ? {} : { authorized_users: [`${spec.owner}:owner`] }),
    },
    hub: {
      enabled: true,
      url: spec.cluster.hub_url ?? hub.url,
      ...(address === undefined ? {} : { dashboard_url: address }),
      is_public: project.isPublic,
      nest_type: "hosted",
    },
    acmm_level: project.level,
  };
}

function githubOf(auth: NestAuth): Readonly<Record<string, unknown>> {
  switch (auth.kind) {
    case "token":
      return { token: `\${NEST_GITHUB_TOKEN}` };
    case "app":
      return {
        app_id: number(auth.appId),
        installation_id: number(auth.installationId),
        key_file: "/secrets/app-key.pem",
      };
    case "app-later": {
      const installation = auth.installationId === undefined ? {} : { installation_id: number(auth.installationId) };
      return { app_id: number(auth.appId), ...installation };
    }
    case "none":
      return { app_id: PLACEHOLDER_APP };
  }
}

/** Digits as a number, so that YAML shows them without quotes; longer ones than a number holds stay text. */
function number(digits: string): number | string {
  return /^\d{1,15}$/.test(digits) ? Number(digits) : digits;
}
