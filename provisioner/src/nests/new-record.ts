import type { ClusterRecord, HostedNestRecord } from "@nest/protocol";
import { authorityOf } from "../manifests/spec.ts";
import { imageFor, type Tools } from "../operations/tools.ts";

/** A nest as its record begins (spec: Hosted instance status): in `provisioning`, to run one pod of its cluster's image. */
export function newRecord(
  made: Partial<HostedNestRecord> & { readonly id: string },
  cluster: ClusterRecord,
  { defaults, clock }: Pick<Tools, "defaults" | "clock">,
): HostedNestRecord {
  return {
    project_name: "",
    org: "",
    repos: [],
    primary_repo: "",
    acmm_level: 2,
    auto_upgrade: false,
    is_public: true,
    owner: "",
    objstore_file_system_id: "",
    objstore_export_id: "",
    ...made,
    status: "provisioning",
    created_at: new Date(clock.now()).toISOString(),
    subdomain: authorityOf({ id: made.id, cluster }) ?? "",
    cluster_id: cluster.id,
    replicas: 1,
    image: imageFor(cluster, defaults),
    steps: [],
    revision: 0,
  };
}
