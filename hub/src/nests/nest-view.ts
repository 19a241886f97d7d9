import type { HostedNestRecord, NestRole, nests } from "@nest/protocol";
import { namespaceOf, nestAddress } from "@nest/protocol";
import type { RegistryEntry } from "../fleet/registry.ts";

/** What is known of a nest beside its record. */
export interface NestFacts {
  /** The asker's role; undefined for an admin who was given none. */
  readonly role: NestRole | undefined;
  /** What its heartbeats said, and whether it is online. */
  readonly heard: (RegistryEntry & { readonly online: boolean }) | undefined;
  /** People who ask for access; 0 for who may not see them. */
  readonly requests: number;
  readonly drift: readonly nests.Drift[];
}

/** A page of fifty nests has at most 60 KB. */
const LISTED_REPOS = 3;
const LISTED_ERROR = 200;

/** A nest as a row of a list. Keys of the record that are not named here stay on the server. */
export function rowOf(record: HostedNestRecord, { role, heard, requests, drift }: NestFacts): nests.NestRow {
  const url = urlOf(record, heard);
  return {
    id: record.id,
    owner: record.owner,
    project_name: record.project_name,
    org: record.org,
    repos: record.repos,
    primary_repo: record.primary_repo,
    acmm_level: record.acmm_level,
    status: record.status,
    ...(record.error === undefined || record.error === "" ? {} : { error: record.error }),
    created_at: record.created_at,
    subdomain: record.subdomain,
    ...(url === undefined ? {} : { url }),
    auto_upgrade: record.auto_upgrade,
    is_public: record.is_public,
    cluster_id: record.cluster_id,
    ...(record.image === undefined ? {} : { image: record.image }),
    ...(role === undefined ? {} : { role }),
    online: heard?.online ?? false,
    ...heardFacts(heard),
    requests,
    ...(record.operation === undefined ? {} : { operation: record.operation.kind }),
    differences: drift.length,
  };
}

/** Of a nest with very many repositories, or a long error, a list tells the beginning. */
export function shortRow(row: nests.NestRow): nests.NestRow {
  const { error, repos } = row;
  const more = repos.length - LISTED_REPOS;
  return {
    ...row,
    ...(error === undefined ? {} : { error: error.length > LISTED_ERROR ? `${error.slice(0, LISTED_ERROR)}…` : error }),
    ...(more > 0 ? { repos: repos.slice(0, LISTED_REPOS), more_repos: more } : {}),
  };
}

/** A nest as its page shows it. */
export function detailOf(
  record: HostedNestRecord,
  facts: NestFacts & { readonly position: number | undefined },
): nests.NestDetail {
  return {
    ...rowOf(record, facts),
    steps: record.steps,
    ...(facts.position === undefined ? {} : { queue_position: facts.position }),
    ...(record.auth_method === undefined ? {} : { auth_method: record.auth_method }),
    ...(record.app_id === undefined ? {} : { app_id: record.app_id }),
    ...(record.installation_id === undefined ? {} : { installation_id: record.installation_id }),
    namespace: namespaceOf(record.id),
    drift: [...facts.drift],
    revision: record.revision,
  };
}

function heardFacts(heard: NestFacts["heard"]): Partial<nests.NestRow> {
  if (heard === undefined) return {};
  return {
    last_heartbeat: heard.lastHeartbeat,
    agents: heard.agents.length,
    ...(heard.version === undefined ? {} : { version: heard.version }),
    ...(heard.governor === undefined ? {} : { mode: heard.governor.mode, issues: heard.governor.issues }),
  };
}

/** Where its dashboard is: the host name that the hub gave it, else what the nest says of itself. */
function urlOf({ subdomain }: HostedNestRecord, heard: NestFacts["heard"]): string | undefined {
  return subdomain === "" ? heard?.dashboardUrl : nestAddress(subdomain);
}
