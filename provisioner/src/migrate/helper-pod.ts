import { NestError } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { GROUP, pullPolicy, restricted, USER } from "../manifests/deployment.ts";
import { metadataOf } from "../manifests/metadata.ts";
import type { DesiredObject } from "../manifests/object.ts";
import type { NestSpec } from "../manifests/spec.ts";
import { CLAIM } from "../manifests/volume.ts";
import { livePod } from "../work/live-objects.ts";
import { troubleOf } from "../work/pod-trouble.ts";
import { STEP_MS } from "../work/run-steps.ts";
import type { StepContext, WorkCluster } from "../work/step.ts";

export const HELPER = "nest-copy";
/** It ends by itself where nobody takes it away. */
const LIFETIME_S = 6 * 3600;
const LOOK_MS = 1000;

/** A pod that has the nest's volume and does nothing: the nest itself is stopped while its data is read or written. */
export function helperPod(spec: NestSpec): DesiredObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadataOf(spec, HELPER),
    spec: {
      restartPolicy: "Never",
      activeDeadlineSeconds: LIFETIME_S,
      automountServiceAccountToken: false,
      serviceAccountName: "nest-sa",
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: GROUP,
        fsGroup: GROUP,
        seccompProfile: { type: "RuntimeDefault" },
      },
      initContainers: [
        {
          name: "init-permissions",
          image: spec.image,
          imagePullPolicy: pullPolicy(spec.image),
          command: ["chown", `${USER}:${GROUP}`, "/data"],
          securityContext: {
            ...restricted,
            runAsNonRoot: false,
            runAsUser: 0,
            runAsGroup: 0,
            capabilities: { drop: ["ALL"], add: ["CHOWN"] },
          },
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
      ],
      containers: [
        {
          name: "copy",
          image: spec.image,
          imagePullPolicy: pullPolicy(spec.image),
          command: ["sleep", String(LIFETIME_S)],
          securityContext: restricted,
          resources: { requests: { cpu: "50m", memory: "64Mi" }, limits: { cpu: "1", memory: "512Mi" } },
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: CLAIM } }],
    },
  };
}

/** Starts the pod on a cluster, and waits until it runs. @throws NestError `nest_not_ready` with the reason. */
export async function startHelper(home: WorkCluster, spec: NestSpec, context: StepContext): Promise<void> {
  const { signal, clock } = context;
  await home.cluster.apply(helperPod(spec), { signal });
  const since = clock.now();
  for (;;) {
    const found = await home.cluster.read(helperRef(spec.id), signal);
    const pod = found === undefined ? undefined : livePod(found);
    if (pod?.phase === "Running" && pod.containers.every(({ state }) => state?.running !== undefined)) return;
    const trouble = pod === undefined ? undefined : troubleOf(pod, undefined);
    if (trouble?.isFinal || clock.now() - since >= STEP_MS)
      throw new NestError(
        "nest_not_ready",
        `the pod that copies does not start: ${trouble?.reason ?? "nobody says why"}`,
        {
          hint: trouble?.remedy ?? "see the pods and events of its namespace",
        },
      );
    await clock.sleep(LOOK_MS, signal);
  }
}

/** Takes the pod away; without one nothing happens. */
export async function stopHelper(home: WorkCluster, id: string, signal: AbortSignal): Promise<void> {
  await home.cluster.delete(helperRef(id), { signal, propagation: "Background" });
}

function helperRef(id: string) {
  return { apiVersion: "v1", kind: "Pod", namespace: namespaceOf(id), name: HELPER };
}
