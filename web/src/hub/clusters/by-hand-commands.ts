import type { nests } from "@nest/protocol";

/** What the commands are about; a record that was edited by hand may say anything. */
export type ByHandNest = Pick<
  nests.NestDetail,
  | "id"
  | "owner"
  | "org"
  | "repos"
  | "primary_repo"
  | "acmm_level"
  | "is_public"
  | "subdomain"
  | "app_id"
  | "installation_id"
>;

/** Commands for somebody who reaches a cluster that the hub does not touch. */
export interface ByHandCommands {
  readonly apply: string;
  readonly verify: string;
  readonly remove: string;
}

const example: ByHandNest = {
  id: "NEST",
  owner: "OWNER",
  org: "ORG",
  repos: ["ORG/REPO"],
  primary_repo: "",
  acmm_level: 2,
  is_public: true,
  subdomain: "NEST.DOMAIN",
};

/** `hubUrl`: the hub's address. Values that a shell could take for more than a value are left for the person to fill in. */
export function byHandCommands(hubUrl: string, nest: ByHandNest = example): ByHandCommands {
  const { id, subdomain, app_id: app, installation_id: installation } = nest;
  const which = `-kubeconfig KUBECONFIG -id ${plain(id)}`;
  const domain = subdomain.startsWith(`${id}.`) ? subdomain.slice(id.length + 1) : "";
  const about = [
    flag("owner", nest.owner),
    flag("org", nest.org),
    flag("repos", nest.repos.join(",")),
    flag("primary-repo", nest.primary_repo),
    `-level ${nest.acmm_level}`,
    nest.is_public ? "" : "-private",
    flag("app-id", app ?? ""),
    flag("installation-id", installation ?? ""),
    flag("domain", domain),
    `-hub-url ${plain(hubUrl)}`,
  ].filter((one) => one !== "");
  const login = app === undefined ? "github-token" : "app-key.pem";
  return {
    apply: `secrets='{"hub-secret":"…","${login}":"…"}'
printf '%s' "$secrets" | nest instance apply ${which} \\
  ${about.join(" ")} -secrets`,
    verify: `nest instance verify ${which} -wait 300`,
    remove: `nest instance delete ${which} -confirm ${plain(id)}`,
  };
}

function flag(name: string, value: string): string {
  return value === "" ? "" : `-${name} ${plain(value)}`;
}

function plain(value: string): string {
  return /^[A-Za-z0-9._,:/-]+$/.test(value) && !value.startsWith("-") ? value : "…";
}
