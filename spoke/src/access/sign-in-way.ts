import type { NestYaml } from "../config/nest-yaml.ts";

/** How one signs in at this nest, and what is missing where nobody can. */
export interface SignInWay {
  /** `proxy`: the hub in front signs people in. `device`: this nest does. `none`: it cannot. */
  readonly by: "proxy" | "device" | "none";
  readonly hint?: string;
}

/** How one signs in, out of the configuration; `hasUsers`: whether anybody has a role. Pure. */
export function signInWay({ dashboard, github }: Pick<NestYaml, "dashboard" | "github">, hasUsers: boolean): SignInWay {
  if (dashboard.hub_proxied) return { by: "proxy" };
  if (github.oauth_client_id === undefined)
    return {
      by: "none",
      hint: "set github.oauth_client_id in nest.yaml, or dashboard.hub_proxied behind a hub's proxy",
    };
  if (!hasUsers) return { by: "none", hint: "name the owner in dashboard.authorized_users, as <login>:owner" };
  return { by: "device" };
}
