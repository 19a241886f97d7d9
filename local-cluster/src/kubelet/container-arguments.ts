import { expanded } from "./environment.ts";
import { type ContainerSpec, NotStarted, type PodObject, type SecurityContext } from "./pod-shape.ts";
import type { NodePodman } from "./podman.ts";

/** Variables that podman itself reads: these go on its command line. */
const PODMANS_OWN: ReadonlySet<string> = new Set(["PATH", "HOME", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"]);

/** The arguments of `podman run` for a container, and the variables that it takes from podman's own environment. */
export function runArguments(what: {
  readonly name: string;
  readonly labels: readonly string[];
  readonly network: string;
  readonly pod: PodObject;
  readonly container: ContainerSpec;
  readonly mounts: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}): string[] {
  const { pod, container, environment } = what;
  const command = (container.command ?? []).map((word) => expanded(word, environment));
  const rest = (container.args ?? []).map((word) => expanded(word, environment));
  const [program, ...words] = command;
  return [
    ...["run", "-d", "--name", what.name, "--network", what.network, "--pull", "never", "--no-hosts=false"],
    ...what.labels.flatMap((label) => ["--label", label]),
    ...Object.entries(environment).flatMap(([name, value]) => [
      "--env",
      PODMANS_OWN.has(name) ? `${name}=${value}` : name,
    ]),
    ...securityArguments(securityOf(pod, container)),
    ...what.mounts,
    ...(container.workingDir === undefined ? [] : ["--workdir", container.workingDir]),
    ...(program === undefined ? [] : ["--entrypoint", JSON.stringify([program])]),
    container.image,
    ...words,
    ...rest,
  ];
}

/** A container's security context, filled up from the pod's. */
export function securityOf(pod: PodObject, container: ContainerSpec): SecurityContext {
  return { ...pod.spec.securityContext, ...container.securityContext };
}

/** Refuses what a kubelet refuses before a container is made. */
export async function checkUser(podman: NodePodman, pod: PodObject, container: ContainerSpec): Promise<void> {
  const { runAsNonRoot, runAsUser } = securityOf(pod, container);
  if (runAsNonRoot !== true) return;
  const user = runAsUser === undefined ? await podman.imageUser(container.image) : String(runAsUser);
  if (user === "" || user === "0" || user === "root")
    throw new NotStarted("CreateContainerConfigError", "container has runAsNonRoot and image will run as root");
}

function securityArguments(security: SecurityContext): string[] {
  const { runAsUser, runAsGroup = 0, fsGroup, supplementalGroups = [], capabilities } = security;
  const groups = [...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])];
  return [
    ...(runAsUser === undefined ? [] : ["--user", `${runAsUser}:${runAsGroup}`]),
    ...groups.flatMap((group) => ["--group-add", String(group)]),
    ...(security.readOnlyRootFilesystem === true ? ["--read-only", "--read-only-tmpfs=false"] : []),
    ...(security.allowPrivilegeEscalation === false ? ["--security-opt", "no-new-privileges"] : []),
    ...(capabilities?.drop ?? []).flatMap((name) => ["--cap-drop", name]),
    ...(capabilities?.add ?? []).flatMap((name) => ["--cap-add", name]),
  ];
}
