import { namespaceOf } from "@nest/protocol";
import { HUB_ANNOTATION, labelsOf, ownedMetadataOf } from "./metadata.ts";
import type { DesiredObject } from "./object.ts";
import type { NestSpec } from "./spec.ts";

export const CLAIM = "nest-data";
/** Spec: Spoke volume. */
const SIZE = "50Gi";

/** The name of a nest's own PersistentVolume, where a storage export gives it one. */
export function volumeName(nestId: string): string {
  return `nest-${nestId}-data`;
}

/** The claim, and before it the volume of its own that a storage export gives it. Old and new pod mount it during an upgrade. */
export function volume(spec: NestSpec): readonly DesiredObject[] {
  const { storage_class: storageClass } = spec.cluster;
  const own = spec.volume === undefined ? [] : [persistentVolume(spec, spec.volume)];
  const bound = spec.volume === undefined ? {} : { volumeName: volumeName(spec.id), storageClassName: "" };
  const dynamic = spec.volume === undefined && storageClass !== undefined ? { storageClassName: storageClass } : {};
  return [
    ...own,
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: ownedMetadataOf(spec, CLAIM),
      spec: {
        accessModes: ["ReadWriteMany"],
        resources: { requests: { storage: SIZE } },
        ...dynamic,
        ...bound,
      },
    },
  ];
}

/** Kept when the claim goes: the export is removed by its own step, and only after the namespace is gone. */
function persistentVolume(spec: NestSpec, { server, path }: NonNullable<NestSpec["volume"]>): DesiredObject {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: volumeName(spec.id), labels: labelsOf(spec), annotations: { [HUB_ANNOTATION]: spec.hub.id } },
    spec: {
      accessModes: ["ReadWriteMany"],
      capacity: { storage: SIZE },
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: "",
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: namespaceOf(spec.id), name: CLAIM },
      nfs: { server, path },
    },
  };
}
