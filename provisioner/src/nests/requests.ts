import type { NestSecrets } from "../manifests/spec.ts";
import type { Tools } from "../operations/tools.ts";
import type { ClustersFile } from "../records/clusters-file.ts";

export interface ProvisionerDeps extends Omit<Tools, "imageOf"> {
  readonly clustersFile: Pick<ClustersFile, "find" | "list">;
  /** How many nests are worked on at once on each cluster; 2 unless said otherwise. */
  readonly mostAtOnce?: number;
}

/** What a nest is to work on, as a create or claim says it. */
export interface ProjectFields {
  readonly org: string;
  readonly repos: readonly string[];
  readonly primary_repo: string;
  readonly project_name: string;
  readonly acmm_level: number;
  readonly is_public: boolean;
}

/** How it proves itself; see `authShapeOf`. */
export interface AuthRecord {
  readonly auth_method: string;
  readonly app_id?: string;
  readonly installation_id?: string;
}

export interface NewNest {
  readonly owner: string;
  readonly clusterId: string;
  readonly project: ProjectFields;
  readonly auth: AuthRecord;
  readonly secrets: NestSecrets;
  readonly by: string;
}

export interface Claim extends Omit<NewNest, "clusterId"> {}
