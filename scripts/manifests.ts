import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { helm, realHelm } from "../test/real-helm/real-helm.ts";

/** Plain manifests of the hub for who has no Helm: what the chart renders with its own values. */
const FILE = join(import.meta.dirname, "../deploy/manifests/nest-hub.yaml");
const HEAD = `# The hub on a cluster, as the Helm chart deploy/helm/nest-hub makes it with its own values. Made by scripts/manifests.ts: change the chart,
# not this file. Before you apply it, change the addresses (example.org), the image and config.project, and make the namespace nest-hub and
# the Secret nest-hub-secrets (docs/operations.md).
`;

export async function manifests(program: string): Promise<string> {
  const text = await helm(program, "template");
  return HEAD + text.replaceAll("app.kubernetes.io/managed-by: Helm", "app.kubernetes.io/managed-by: kubectl");
}

export async function writtenManifests(): Promise<string> {
  return readFile(FILE, "utf8");
}

if (process.argv[1] === import.meta.filename) {
  const program = realHelm();
  if (program === undefined) throw new Error("build Helm first: test/real-helm/build.sh");
  await writeFile(FILE, await manifests(program));
}
