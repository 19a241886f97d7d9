import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { NodeApi } from "./node-api.ts";
import type { ContainerSpec, PodObject, VolumeSpec } from "./pod-shape.ts";

const ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/** A volume cannot be mounted yet; the pod waits, and it is tried again. */
export class NotMounted extends Error {}

/** A pod's volumes as folders on the node: by name, and where its service account's token is. */
export interface Volumes {
  readonly folders: ReadonlyMap<string, { readonly path: string; readonly isReadOnly: boolean }>;
  readonly account: string | undefined;
}

/** Makes the folders of a pod's volumes below `folder`; a claim's folder is its volume's path. */
export async function mountVolumes(api: NodeApi, pod: PodObject, folder: string): Promise<Volumes> {
  const folders = new Map<string, { path: string; isReadOnly: boolean }>();
  for (const volume of pod.spec.volumes ?? [])
    folders.set(volume.name, await mountVolume(api, pod, volume, join(folder, volume.name)));
  return { folders, account: await accountFolder(api, pod, join(folder, "service-account")) };
}

/** The `-v` arguments of one container. */
export async function mountArguments(volumes: Volumes, container: ContainerSpec): Promise<string[]> {
  const args: string[] = [];
  for (const { name, mountPath, readOnly, subPath } of container.volumeMounts ?? []) {
    const volume = volumes.folders.get(name);
    if (volume === undefined) throw new NotMounted(`volume "${name}" is not among the pod's`);
    const path = subPath === undefined ? volume.path : join(volume.path, subPath);
    if (subPath !== undefined) await stat(path).catch(() => mkdir(path, { recursive: true }));
    args.push("-v", `${path}:${mountPath}${readOnly === true || volume.isReadOnly ? ":ro" : ""}`);
  }
  if (volumes.account !== undefined) args.push("-v", `${volumes.account}:${ACCOUNT_FOLDER}:ro`);
  return args;
}

async function mountVolume(api: NodeApi, pod: PodObject, volume: VolumeSpec, path: string) {
  const { namespace } = pod.metadata;
  const group = pod.spec.securityContext?.fsGroup;
  const { configMap, secret, persistentVolumeClaim, emptyDir } = volume;
  if (configMap !== undefined || secret !== undefined) {
    const name = secret?.secretName ?? configMap?.name ?? "";
    const values = await api.values(secret === undefined ? "configmaps" : "secrets", namespace, name);
    const files: { readonly optional?: boolean } = secret ?? configMap ?? {};
    if (values === undefined && files.optional !== true)
      throw new NotMounted(`${secret === undefined ? "configmap" : "secret"} "${name}" not found`);
    await writeFiles(path, values ?? new Map(), { ...files, group });
    return { path, isReadOnly: true };
  }
  if (persistentVolumeClaim !== undefined) {
    const claimed = await claimPath(api, namespace, persistentVolumeClaim.claimName);
    if (group !== undefined) await giveToGroup(claimed, group);
    return { path: claimed, isReadOnly: persistentVolumeClaim.readOnly === true };
  }
  if (emptyDir === undefined) throw new NotMounted(`volume "${volume.name}" is of a kind that is not supported`);
  await mkdir(path, { recursive: true });
  await chmod(path, 0o777);
  if (group !== undefined) await giveToGroup(path, group);
  return { path, isReadOnly: false };
}

async function claimPath(api: NodeApi, namespace: string, name: string): Promise<string> {
  const claim = await api.claim(namespace, name);
  if (claim === undefined) throw new NotMounted(`persistentvolumeclaim "${name}" not found`);
  const { phase } = (claim.status ?? {}) as { phase?: string };
  const { volumeName } = (claim.spec ?? {}) as { volumeName?: string };
  const path = phase === "Bound" && volumeName !== undefined ? await api.volumeFolder(volumeName) : undefined;
  if (path === undefined) throw new NotMounted(`persistentvolumeclaim "${name}" is not bound`);
  return path;
}

async function writeFiles(
  folder: string,
  values: ReadonlyMap<string, Buffer>,
  how: {
    readonly group: number | undefined;
    readonly defaultMode?: number;
    readonly items?: readonly { readonly key: string; readonly path: string; readonly mode?: number }[];
  },
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const items = how.items ?? [...values.keys()].map((key) => ({ key, path: key }));
  for (const { key, path, mode } of items as readonly { key: string; path: string; mode?: number }[]) {
    const value = values.get(key);
    if (value === undefined) throw new NotMounted(`references non-existent key: ${key}`);
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, value);
    const bits = mode ?? how.defaultMode ?? 0o644;
    // A group of the pod's files may read them, whatever their mode says.
    await chmod(file, how.group === undefined ? bits : bits | 0o440);
    if (how.group !== undefined) await chown(file, 0, how.group);
  }
}

/** What a kubelet does for `fsGroup`: the group owns the volume and may write, and new files inherit it. */
async function giveToGroup(path: string, group: number): Promise<void> {
  const { mode, uid } = await stat(path);
  await chown(path, uid, group);
  await chmod(path, mode | 0o2070);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await giveToGroup(inner, group);
    else if (entry.isFile()) {
      const own = await stat(inner);
      await chown(inner, own.uid, group);
      await chmod(inner, own.mode | 0o060);
    }
  }
}

async function accountFolder(api: NodeApi, pod: PodObject, folder: string): Promise<string | undefined> {
  const { serviceAccountName, automountServiceAccountToken } = pod.spec;
  if (serviceAccountName === undefined || automountServiceAccountToken === false) return undefined;
  const { namespace } = pod.metadata;
  const token = await api.tokenOf(namespace, serviceAccountName).catch(() => undefined);
  if (token === undefined) throw new NotMounted(`serviceaccount "${serviceAccountName}" has no token`);
  await mkdir(folder, { recursive: true });
  const files = { token, "ca.crt": await api.authority(), namespace };
  for (const [name, value] of Object.entries(files)) await writeFile(join(folder, name), value, { mode: 0o644 });
  return folder;
}
