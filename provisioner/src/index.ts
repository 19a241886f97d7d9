export { type AuthFields, type AuthShape, authShapeOf } from "./auth-shape.ts";
export type { NestDrift } from "./drift/drift.ts";
export { newNestId, newPlaceholderId } from "./ids.ts";
export { SECRETS, secret } from "./manifests/config.ts";
export type { DesiredObject } from "./manifests/object.ts";
export {
  authorityOf,
  isHubProxied,
  type NestAuth,
  type NestHub,
  type NestProject,
  type NestSecrets,
  type NestSpec,
  type NestVolume,
} from "./manifests/spec.ts";
export { desiredObjects, type ObjectStep, objectSteps, objectsByStep, yamlOf } from "./nest.ts";
export { Provisioner } from "./nests/provisioner.ts";
export type { AuthRecord, Claim, NewNest, ProjectFields, ProvisionerDeps } from "./nests/requests.ts";
export { ownObject } from "./operations/ownership.ts";
export type { NestDefaults, OperationKind } from "./operations/tools.ts";
export { AutoUpgrade, type AutoUpgradeDeps } from "./pool/auto-upgrade.ts";
export { Placeholders, type PlaceholdersDeps } from "./pool/placeholders.ts";
export { RegistryDigests } from "./pool/registry-digests.ts";
export { type ClusterEntry, ClustersFile, type ClustersFileDeps } from "./records/clusters-file.ts";
export { CredentialStore, type CredentialStoreDeps } from "./records/credential-store.ts";
export { type RecordListener, RecordStore, type RecordStoreDeps } from "./records/record-store.ts";
export type { PrefixCredentials, PrefixRequest } from "./storage-export/prefix-export.ts";
export { storageByCluster } from "./storage-export/storage-by-cluster.ts";
export { type ExportIds, noStorageExport, type StorageExport } from "./storage-export/storage-export.ts";
export { Clusters, type ClustersDeps } from "./work/clusters.ts";
export { type Inspection, inspectNest } from "./work/inspect.ts";
export type { WorkCluster } from "./work/step.ts";
