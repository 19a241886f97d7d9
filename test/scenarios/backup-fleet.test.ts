import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ContainerRun } from "@nest/local-cluster";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeApiServer } from "../fakes/kubernetes/api-server.ts";

const COMMAND = new URL("../../bin/nest-backup", import.meta.url).pathname;
const SECRETS = ["nest-hub-secrets", "objstore-api-key", "nest-hub-kubeconfigs"];

let home = "";
let data = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nest-fleet-"));
  data = join(home, "data");
  write("data/saas/hmac.key", "k");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

/** The command as an operator runs it. */
function run(environment: Record<string, string>): Promise<{ code: number; out: string; err: string }> {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    NEST_BACKUP_KEY: "c0".repeat(32),
    NEST_BACKUP_DATA_DIR: data,
  };
  const words = ["run", "-local", join(home, "archive.enc"), "-json"];
  return new Promise((resolve) => {
    const child = execFile(COMMAND, words, { env: { ...env, ...environment } }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

/** A container whose shell answers as a spoke's does, with one file. */
function spokeWith(text: string) {
  return ({ stdout, exit }: ContainerRun) => {
    const body = Buffer.from(text).toString("base64");
    const hash = createHash("sha256").update(body).digest("hex");
    stdout(`@@NEST-FILE ${body.length} ${hash} nest.yaml.runtime\n${body}\n@@NEST-END 1\n`);
    exit(0);
  };
}

test("each cluster is reached by its own kubeconfig, and none by a file that happens to be around", async () => {
  await using own = await FakeApiServer.start();
  await using remote = await FakeApiServer.start();
  await using stray = await FakeApiServer.start();
  for (const name of SECRETS) own.addSecret("nest-hub", name, { value: "eA==" });
  own.addPod("nest-hosted-near", "p", "Running", spokeWith("near"));
  remote.addPod("nest-hosted-far", "p", "Running", spokeWith("far"));
  remote.addPod("nest-hosted-named", "p", "Running", spokeWith("named"));
  mkdirSync(join(home, ".kube"));
  copyFileSync(stray.kubeconfig, join(home, ".kube/config"));
  mkdirSync(join(home, "kubeconfigs"));
  copyFileSync(remote.kubeconfig, join(home, "kubeconfigs/far.yaml"));
  const clusters = [
    { id: "home", in_cluster: true },
    { id: "far" },
    { id: "named", kubeconfig_path: "/elsewhere/far.yaml", context: "fake" },
    { id: "other-context", kubeconfig_path: "far.yaml", context: "no-such" },
    { id: "bare" },
    { id: "../../etc/passwd" },
  ];
  const nests = ["home:near", "far:far", "named:named", "other-context:lost", "bare:nobody", "../../etc/passwd:up"];
  write("data/clusters.json", JSON.stringify(clusters));
  const entries = nests.map((nest) => ({ id: nest.split(":")[1], clusterId: nest.split(":")[0] }));
  write("data/hub-registry.json", JSON.stringify({ nests: entries }));
  const kubeconfigs = join(home, "kubeconfigs");
  const made = await run({ KUBECONFIG: own.kubeconfig, NEST_KUBECONFIG_DIR: kubeconfigs });
  expect(made.code).toBe(3);
  const { manifest } = JSON.parse(made.out);
  expect(manifest.spoke_ids).toEqual(["far", "named", "near"]);
  expect(manifest.spoke_errors).toEqual({
    lost: `kubeconfig ${kubeconfigs}/far.yaml has no usable context "no-such"`,
    nobody: `cluster "bare" has no kubeconfig in ${kubeconfigs}`,
    up: `cluster "../../etc/passwd" has no kubeconfig in ${kubeconfigs}`,
  });
  expect(stray.calls).toEqual([]);
});

test("outside a pod and without KUBECONFIG the run fails, whatever is in the home directory", async () => {
  await using stray = await FakeApiServer.start();
  mkdirSync(join(home, ".kube"));
  copyFileSync(stray.kubeconfig, join(home, ".kube/config"));
  write("data/clusters.json", "[]");
  write("data/hub-registry.json", '{"nests":[]}');
  const made = await run({});
  expect(made.code).toBe(1);
  expect(made.err).toContain("this is no pod of a cluster, and KUBECONFIG is not set");
  const inAPod = await run({ KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: "1" });
  expect([inAPod.code, inAPod.err.includes("the pod's service account is not mounted")]).toEqual([1, true]);
  expect(stray.calls).toEqual([]);
});
