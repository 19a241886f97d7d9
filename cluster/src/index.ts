export type { Cluster, ClusterFault, ClusterObject, ExecRequest, ExecResult, Pod } from "./cluster.ts";
export { clusterOf, ownCluster } from "./connect.ts";
export { MemoryCluster, type Program } from "./memory.ts";
