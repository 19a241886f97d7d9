import { NestError } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { parse, stringify } from "yaml";
import { seedTree } from "../manifests/seed.ts";
import type { Step, StepContext } from "../work/step.ts";
import { waitUntilReady } from "../work/wait-rollout.ts";
import { specOf, type Tools } from "./tools.ts";

const OVERLAY = "/data/nest.yaml.dashboard";
/** Written beside and renamed; the text comes on standard input. */
const WRITE = `umask 077 && cat > ${OVERLAY}.part && mv ${OVERLAY}.part ${OVERLAY}`;

/**
 * Brings the project and the app's ids into `/data/nest.yaml.dashboard` (spec: Claiming a placeholder). A nest that has saved
 * other ones before started with those, so it is started again.
 */
export function overlayStep(tools: Tools): Step {
  return {
    name: "overlay",
    isPatient: true,
    async run(context) {
      const tree = seedTree(specOf(await context.record(), context.home.record, tools));
      const { project, github, acmm_level } = tree;
      const pod = await runningPod(context);
      const found = await program(context, pod, ["cat", OVERLAY]);
      const before = found.exitCode === 0 ? treeOf(found.output) : {};
      const after = {
        ...before,
        project: laid(before.project, project),
        github: laid(before.github, github),
        acmm_level,
      };
      if (JSON.stringify(before) === JSON.stringify(after)) return;
      await program(context, pod, ["sh", "-c", WRITE], stringify(after, { lineWidth: 0 }));
      if (Object.keys(before).length === 0) return;
      const { signal } = context;
      const ref = { apiVersion: "v1", kind: "Pod", namespace: namespaceOf(context.id), name: pod };
      await context.home.cluster.delete(ref, { signal });
      await waitUntilReady(context);
    },
  };
}

/** @throws NestError `nest_without_pod`. */
async function runningPod({ home, id, signal }: StepContext): Promise<string> {
  const pods = await home.cluster.pods(namespaceOf(id), signal);
  const pod = pods.find(
    ({ phase, isEnding, name }) => phase === "Running" && !isEnding && !name.startsWith("nest-copy"),
  );
  if (pod === undefined) throw new NestError("nest_without_pod", "the nest has no running pod");
  return pod.name;
}

async function program({ home, id, signal }: StepContext, pod: string, command: readonly string[], input?: string) {
  const pieces: Buffer[] = [];
  const { exitCode, stderr } = await home.cluster.exec({
    namespace: namespaceOf(id),
    pod,
    container: "nest",
    command,
    stdout: (piece) => pieces.push(piece),
    signal,
    ...(input === undefined ? {} : { stdin: once(Buffer.from(input)) }),
  });
  if (input !== undefined && exitCode !== 0)
    throw new NestError("nest_overlay_failed", `the overlay cannot be written (exit code ${exitCode}: ${stderr})`);
  return { exitCode, output: Buffer.concat(pieces).toString("utf8") };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

type Tree = Readonly<Record<string, unknown>>;

function treeOf(text: string): Tree {
  const value: unknown = parse(text);
  return isTree(value) ? value : {};
}

function laid(before: unknown, over: unknown): unknown {
  return isTree(before) && isTree(over) ? { ...before, ...over } : over;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
