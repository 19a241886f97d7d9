export {
  type Cluster,
  ClusterBusy,
  type ClusterFault,
  type ClusterObject,
  type ExecRequest,
  type ExecResult,
  type Pod,
} from "./cluster.ts";
export { type ClusterAccess, type ClusterClient, clusterOf, managedClusterOf, ownCluster } from "./connect.ts";
export type {
  KubernetesObject,
  ManagedCluster,
  ObjectFilter,
  ObjectKind,
  ObjectRef,
  WatchEvent,
  WatchReader,
} from "./managed.ts";
export { MemoryCluster, type Program } from "./memory.ts";
export type { MemoryCall, Where } from "./memory-faults.ts";
export type { Timing } from "./requests.ts";
