import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { KubernetesObject } from "@nest/cluster";
import type { NodeServer } from "./node-server.ts";

interface ClaimSpec {
  readonly accessModes?: readonly string[];
  readonly storageClassName?: string;
  readonly volumeName?: string;
  readonly resources?: { readonly requests?: { readonly storage?: string } };
}

/** Gives each persistent volume claim a folder, as a tiny provisioner: it makes the volume, the real controller binds it. */
export class Claims {
  readonly #cluster: NodeServer;
  readonly #folder: string;
  readonly #seen = new Set<string>();

  constructor(cluster: NodeServer, folder: string) {
    this.#cluster = cluster;
    this.#folder = folder;
  }

  async provide(claim: KubernetesObject): Promise<void> {
    this.#seen.add(String(claim.metadata.uid));
    const { accessModes, storageClassName = "", volumeName, resources } = (claim.spec ?? {}) as ClaimSpec;
    if (volumeName !== undefined || claim.metadata.deletionTimestamp !== undefined) return;
    const { name, namespace, uid } = claim.metadata;
    const path = join(this.#folder, `claim-${uid}`);
    await mkdir(path, { recursive: true, mode: 0o755 });
    const spec = {
      accessModes,
      capacity: { storage: resources?.requests?.storage ?? "1Gi" },
      storageClassName,
      persistentVolumeReclaimPolicy: "Retain",
      hostPath: { path },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid },
    };
    const metadata = { name: `pvc-${uid}` };
    await this.#cluster.create("/api/v1/persistentvolumes", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata,
      spec,
    });
  }

  /** Takes away volumes whose claims went while nobody watched. */
  async sweep(): Promise<void> {
    const { text } = await this.#cluster.call("GET", "/api/v1/persistentvolumes");
    const { items = [] } = JSON.parse(text) as { items?: readonly KubernetesObject[] };
    for (const { metadata } of items) {
      const uid = metadata.name.replace(/^pvc-/, "");
      if (uid !== metadata.name && !this.#seen.has(uid)) await this.#remove(uid);
    }
  }

  /** The claim is gone, and its volume and files with it. */
  async forget({ metadata }: KubernetesObject): Promise<void> {
    await this.#remove(String(metadata.uid));
  }

  async #remove(uid: string): Promise<void> {
    await this.#cluster.call("DELETE", `/api/v1/persistentvolumes/pvc-${uid}`);
    await rm(join(this.#folder, `claim-${uid}`), { recursive: true, force: true });
  }
}
