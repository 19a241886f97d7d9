import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterOf } from "@nest/cluster";
import { parseYaml } from "@nest/kit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RealCluster, realClusterFolder } from "../real-cluster/real-cluster.ts";

const folder = new URL("../../deploy/backup/", import.meta.url).pathname;
const SECRETS = ["nest-hub-secrets", "objstore-api-key", "nest-hub-kubeconfigs", "nest-hub-tls"];

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  // biome-ignore lint/suspicious/noExplicitAny: manifests are data of every shape here
  readonly [field: string]: any;
}

function manifests(): Manifest[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const texts = files.flatMap((name) => readFileSync(join(folder, name), "utf8").split(/^---$/m));
  return texts.map((text) => parseYaml(text, "manifest") as Manifest);
}

const find = (kind: string) => manifests().find((manifest) => manifest.kind === kind) as Manifest;

describe("the cron job's manifests", () => {
  test("service account nest-hub-backup in namespace nest-hub; every subject names both", () => {
    expect(find("ServiceAccount").metadata).toMatchObject({ name: "nest-hub-backup", namespace: "nest-hub" });
    for (const kind of ["RoleBinding", "ClusterRoleBinding"]) {
      expect(find(kind).subjects).toEqual([{ kind: "ServiceAccount", name: "nest-hub-backup", namespace: "nest-hub" }]);
    }
  });

  test("the namespaced role: get only, on exactly four Secrets", () => {
    expect(find("Role").rules).toEqual([
      { apiGroups: [""], resources: ["secrets"], resourceNames: SECRETS, verbs: ["get"] },
    ]);
  });

  test("the cluster role: pods get and list, pods/exec create, nothing else", () => {
    expect(find("ClusterRole").rules).toEqual([
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
      { apiGroups: [""], resources: ["pods/exec"], verbs: ["create"] },
    ]);
  });

  test("17 3 * * *, Forbid, always pulled from the stable channel, an hour at most", () => {
    const { spec } = find("CronJob");
    expect([spec.schedule, spec.concurrencyPolicy]).toEqual(["17 3 * * *", "Forbid"]);
    expect(spec.jobTemplate.spec.activeDeadlineSeconds).toBe(3600);
    const [container] = spec.jobTemplate.spec.template.spec.containers;
    expect(container).toMatchObject({ imagePullPolicy: "Always", command: ["nest-backup", "run"] });
    expect(container.image).toMatch(/:stable$/);
  });

  test.each([
    [1, 3, "no archive was made, and the next try may go well"],
    [2, 1, "the configuration stays wrong"],
    [3, 1, "the archive is made, another one would miss the same"],
    [4, 1, "the key stays wrong"],
    [5, 1, "the archive stays damaged"],
  ])("after exit code %i it is run %i times in all: %s", (code, times) => {
    const { spec } = find("CronJob").spec.jobTemplate;
    // Restarts within a pod would count for nothing of this.
    expect(spec.template.spec.restartPolicy).toBe("Never");
    const [container] = spec.template.spec.containers;
    const isFinal = (spec.podFailurePolicy?.rules ?? []).some(
      ({ action, onExitCodes }: Manifest) =>
        action === "FailJob" &&
        onExitCodes.containerName === container.name &&
        onExitCodes.operator === "In" &&
        onExitCodes.values.includes(code),
    );
    expect(isFinal ? 1 : spec.backoffLimit + 1).toBe(times);
  });

  test("every way out of the job names its ports; the storage has its own, the endpoint's", () => {
    const endpoint = find("ConfigMap").data.endpoint || "https://the-regions-own";
    const { port, protocol } = new URL(endpoint);
    const rules = find("NetworkPolicy").spec.egress.map(({ ports }: Manifest) =>
      (ports ?? [{ port: "any" }]).map((each: Manifest) => each.port ?? "any"),
    );
    expect(rules).toContainEqual([Number(port || (protocol === "http:" ? 80 : 443))]);
    expect(new Set(rules.flat())).toEqual(new Set([53, 443, 6443, 5432]));
  });

  test("the key comes from nest-hub-backup-key/backup-key, bucket and retention from the config map", () => {
    const [container] = find("CronJob").spec.jobTemplate.spec.template.spec.containers;
    const from = Object.fromEntries(container.env.map(({ name, valueFrom }: Manifest) => [name, valueFrom]));
    expect(from.NEST_BACKUP_KEY).toEqual({ secretKeyRef: { name: "nest-hub-backup-key", key: "backup-key" } });
    expect(from.NEST_BACKUP_BUCKET.configMapKeyRef).toEqual({ name: "nest-hub-backup-config", key: "bucket" });
    expect(find("ConfigMap").metadata.name).toBe("nest-hub-backup-config");
    expect(find("ConfigMap").data).toMatchObject({ bucket: "nest-hub-backups", retention: "30" });
  });

  test("the hub's volume is nest-hub-data-rwx, read-only; kubeconfigs are 0400", () => {
    const { volumes, containers } = find("CronJob").spec.jobTemplate.spec.template.spec;
    expect(volumes[0].persistentVolumeClaim).toEqual({ claimName: "nest-hub-data-rwx", readOnly: true });
    expect(volumes[1].secret).toEqual({ secretName: "nest-hub-kubeconfigs", defaultMode: 0o400 });
    expect(containers[0].volumeMounts[0]).toEqual({ name: "data", mountPath: "/data", readOnly: true });
  });
});

describe("the pod to restore from", () => {
  test("has the hub's volume, the key and the storage, no account of the cluster, and does nothing by itself", () => {
    const { spec } = find("Pod");
    expect([spec.automountServiceAccountToken, spec.containers[0].command]).toEqual([false, ["sleep", "14400"]]);
    expect(spec.volumes[0].persistentVolumeClaim).toEqual({ claimName: "nest-hub-data-rwx" });
    const names = spec.containers[0].env.map(({ name }: Manifest) => name);
    expect(names).toEqual(expect.arrayContaining(["NEST_BACKUP_KEY", "NEST_BACKUP_BUCKET", "NEST_BACKUP_DATA_DIR"]));
  });

  test("the job and the pod run as the same user, so that what is restored is the hub's", () => {
    const job = find("CronJob").spec.jobTemplate.spec.template.spec;
    expect(find("Pod").spec.securityContext).toEqual(job.securityContext);
  });
});

const programs = realClusterFolder();

describe.skipIf(programs === undefined)("the roles on a real kube-apiserver", () => {
  let real: RealCluster;
  beforeAll(async () => {
    real = await RealCluster.start(programs ?? "");
    for (const name of ["nest-hub", "nest-hosted-one"]) await real.addNamespace(name);
    for (const manifest of manifests()) await real.create(pathOf(manifest), manifest);
    for (const name of [...SECRETS, "nest-hub-backup-key"]) {
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name }, data: { value: "eA==" } };
      await real.create("/api/v1/namespaces/nest-hub/secrets", secret);
    }
    await real.addPod("nest-hosted-one", "nest-0", "Running", (run) => {
      run.stdout("hello");
      run.exit(0);
    });
  }, 120_000);
  afterAll(() => real?.[Symbol.asyncDispose]());

  async function asBackup() {
    return clusterOf(await real.kubeconfig(await real.tokenOf("nest-hub", "nest-hub-backup")));
  }
  const soon = () => AbortSignal.timeout(10_000);

  test("every manifest is accepted as it is", async () => {
    for (const manifest of manifests()) {
      const { status } = await real.call("GET", `${pathOf(manifest)}/${manifest.metadata.name}`);
      expect([manifest.kind, status]).toEqual([manifest.kind, 200]);
    }
  });

  test("the account reads the four Secrets and no other, not even its own key's", async () => {
    const cluster = await asBackup();
    for (const name of SECRETS)
      expect(await cluster.secret("nest-hub", name, soon())).toMatchObject({ kind: "Secret" });
    const own = cluster.secret("nest-hub", "nest-hub-backup-key", soon());
    await expect(own).rejects.toMatchObject({ code: "cluster_forbidden" });
  });

  test("the account finds pods and runs a command in one", async () => {
    const cluster = await asBackup();
    const [pod] = await cluster.pods("nest-hosted-one", soon());
    let said = "";
    const request = { namespace: "nest-hosted-one", pod: pod?.name ?? "", container: "nest", command: ["true"] };
    const stdout = (piece: Buffer) => {
      said += piece.toString();
    };
    expect(await cluster.exec({ ...request, stdout, signal: soon() })).toMatchObject({ exitCode: 0 });
    expect(said).toBe("hello");
  });
});

function pathOf({ kind, metadata }: Manifest): string {
  const groups: Readonly<Record<string, string>> = {
    ServiceAccount: "/api/v1/namespaces/nest-hub/serviceaccounts",
    ConfigMap: "/api/v1/namespaces/nest-hub/configmaps",
    Role: "/apis/rbac.authorization.k8s.io/v1/namespaces/nest-hub/roles",
    RoleBinding: "/apis/rbac.authorization.k8s.io/v1/namespaces/nest-hub/rolebindings",
    ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    CronJob: "/apis/batch/v1/namespaces/nest-hub/cronjobs",
    Pod: "/api/v1/namespaces/nest-hub/pods",
    NetworkPolicy: "/apis/networking.k8s.io/v1/namespaces/nest-hub/networkpolicies",
  };
  const path = groups[kind];
  if (path === undefined) throw new Error(`no path for ${kind} ${metadata.name}`);
  return path;
}

describe("the container host's scripts, with a stand-in for the container program", () => {
  let home = "";
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "nest-host-"));
    mkdirSync(join(home, "volumes"));
    // Runs the command of `run` here, with /data read as the volume's folder.
    const stub = `#!/bin/sh
case "$1 $2" in
  "volume inspect") [ -d "${home}/volumes/$3" ] ;;
  "volume create") mkdir "${home}/volumes/$3" ;;
  run*) while [ "$1" != -v ]; do shift; done; v=\${2%%:*}; shift 3
    for word; do shift; [ "$word" = /data ] && word="${home}/volumes/$v"; set -- "$@" "$word"; done
    exec "$@" ;;
esac`;
    writeFileSync(join(home, "container"), stub, { mode: 0o755 });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const script = (name: string, ...words: string[]) =>
    spawnSync(join(folder, name), words, {
      env: { ...process.env, CONTAINER_CLI: join(home, "container") },
      encoding: "utf8",
    });

  test("volume and secrets come back as they were, with their modes", () => {
    const volume = join(home, "volumes/team_nest-data");
    mkdirSync(join(volume, "secrets"), { recursive: true });
    writeFileSync(join(volume, "secrets/backup_encryption_key"), "k", { mode: 0o600 });
    writeFileSync(join(volume, "nest.yaml.runtime"), "a: 1\n");
    mkdirSync(join(home, "secrets"));
    writeFileSync(join(home, "secrets/app-key.pem"), "PEM", { mode: 0o600 });
    const made = script("container-host-backup.sh", "team", join(home, "secrets"), join(home, "out"));
    expect([made.status, made.stderr]).toEqual([0, ""]);
    const [data = "", secrets = ""] = made.stdout.trim().split("\n");
    expect(statSync(data).mode & 0o777).toBe(0o600);
    execFileSync("rm", ["-rf", volume, join(home, "secrets")]);
    const back = script("container-host-restore.sh", "team", data, secrets, join(home, "secrets"));
    expect([back.status, back.stderr]).toEqual([0, ""]);
    expect(readFileSync(join(volume, "nest.yaml.runtime"), "utf8")).toBe("a: 1\n");
    expect(statSync(join(volume, "secrets/backup_encryption_key")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, "secrets/app-key.pem"), "utf8")).toBe("PEM");
  });

  test("a volume that is not there, or that exists when restoring, is refused", () => {
    mkdirSync(join(home, "secrets"));
    const made = script("container-host-backup.sh", "team", join(home, "secrets"), join(home, "out"));
    expect([made.status, made.stderr]).toEqual([
      1,
      "container-host-backup: error: there is no volume team_nest-data\n",
    ]);
    mkdirSync(join(home, "volumes/team_nest-data"));
    const archive = join(home, "a.tar.gz");
    execFileSync("tar", ["-czf", archive, "-C", home, "container"]);
    const back = script("container-host-restore.sh", "team", archive, archive, join(home, "secrets"));
    expect([back.status, back.stderr.includes("exists already")]).toEqual([1, true]);
  });
});
