import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubernetesObject, MemoryCluster } from "@nest/cluster";
import { Secret } from "@nest/kit";
import { type HostedNestRecord, namespaceOf } from "@nest/protocol";
import { expect, test } from "vitest";
import { aRequest, Scene } from "../testing/scene.ts";
import type { Provisioner } from "./provisioner.ts";

const signal = new AbortController().signal;
const KINDS = [
  "v1 Namespace",
  "v1 ServiceAccount",
  "v1 LimitRange",
  "v1 ResourceQuota",
  "v1 PersistentVolumeClaim",
  "v1 ConfigMap",
  "v1 Secret",
  "v1 Service",
  "apps/v1 Deployment",
  "networking.k8s.io/v1 Ingress",
  "networking.k8s.io/v1 NetworkPolicy",
  "rbac.authorization.k8s.io/v1 Role",
  "rbac.authorization.k8s.io/v1 RoleBinding",
];

/** What a cluster holds, without what the server stamps on it. */
async function holdings(cluster: MemoryCluster): Promise<readonly object[]> {
  const lists = await Promise.all(
    KINDS.map((one) => {
      const [apiVersion = "", kind = ""] = one.split(" ");
      return cluster.list({ apiVersion, kind }, {}, signal);
    }),
  );
  return lists.flat().map(({ metadata, status: _, ...rest }: KubernetesObject) => {
    const { name, namespace, labels, annotations } = metadata;
    return { ...rest, metadata: { name, namespace, labels, annotations } };
  });
}

interface Story {
  readonly name: string;
  /** At the end; undefined: it has no record any more. */
  readonly status: string | undefined;
  /** What is done before the hub that will be killed, by one that is not. */
  readonly before?: (scene: Scene, hub: Provisioner) => Promise<string>;
  /** What the hub is killed in. */
  readonly act: (hub: Provisioner, id: string) => Promise<unknown>;
}

async function made(scene: Scene, hub: Provisioner): Promise<string> {
  const { id } = await hub.create(aRequest());
  await scene.settle(hub);
  const data = await scene.volumes.east.data(namespaceOf(id));
  await writeFile(join(data, "nest-id"), `${id}\n`);
  return id;
}

const stories: readonly Story[] = [
  { name: "is made", status: "running", act: (hub) => hub.create(aRequest()) },
  {
    name: "is upgraded",
    status: "running",
    before: made,
    act: (hub, id) => hub.upgrade(id, "octo", "registry.example.org/nest-spoke:2"),
  },
  { name: "is paused", status: "paused", before: made, act: (hub, id) => hub.pause(id, "octo") },
  { name: "is deleted", status: undefined, before: made, act: (hub, id) => hub.deprovision(id, "octo") },
  {
    name: "moves to another cluster",
    status: "running",
    before: made,
    act: (hub, id) => hub.migrate(id, "west", "octo"),
  },
  {
    name: "is claimed",
    status: "running",
    before: async (scene, hub) => {
      const { id } = await hub.createPlaceholder("east", "hub");
      await scene.settle(hub);
      return id;
    },
    act: (hub, id) =>
      hub.claim(id, aRequest({ auth: { auth_method: "token" }, secrets: { githubToken: new Secret("ghp_abc") } })),
  },
];

interface Ending {
  readonly effects: readonly string[];
  /** Whether the hub had said that it will be done. */
  readonly isAnswered: boolean;
  readonly record: Pick<HostedNestRecord, "status" | "error"> | undefined;
  readonly east: readonly object[];
  readonly west: readonly object[];
}

/** Tells a story with a hub that is killed before effect number `killAt`, and another one that goes on. */
async function tell(story: Story, killAt: number): Promise<Ending> {
  await using scene = await Scene.make();
  const id = (await story.before?.(scene, scene.hub())) ?? "";
  const effects: string[] = [];
  const gate = async (effect: string) => {
    if (effects.push(effect) >= killAt) await new Promise(() => undefined);
  };
  const doomed = scene.hub({ gate, isDoomed: killAt !== Number.POSITIVE_INFINITY });
  let [isAnswered, isDone] = [false, false];
  const acted = story.act(doomed, id).then(() => {
    isAnswered = true;
    return doomed.settled();
  });
  void acted.finally(() => {
    isDone = true;
  });
  await scene.until(() => effects.length >= killAt || isDone);
  const next = scene.hub();
  await next.resumeAll();
  await scene.settle(next);
  const [record] = await scene.records.list();
  const clean = record && {
    ...record,
    revision: 0,
    created_at: "",
    steps: record.steps.map(({ name, state }) => ({ name, state })),
  };
  return { effects, isAnswered, record: clean, east: await holdings(scene.east), west: await holdings(scene.west) };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

test.each(stories)(
  "a nest that $name comes to the same end wherever the hub is killed",
  async (story) => {
    const plain = ({ record, east, west }: Ending) => ({ record, east, west });
    const whole = await tell(story, Number.POSITIVE_INFINITY);
    expect(whole.effects.length).toBeGreaterThan(4);
    expect(whole.record?.status).toBe(story.status);
    expect(whole.record?.error).toBeUndefined();
    const nothing = await tell(story, 1);
    for (let killAt = 2; killAt <= whole.effects.length; killAt += 1) {
      const ending = await tell(story, killAt);
      // A hub that was killed before it had answered has promised nothing.
      const wanted = ending.isAnswered || !isSame(ending.record, nothing.record) ? whole : nothing;
      const where = `killed before ${killAt}: ${whole.effects[killAt - 1]}`;
      expect(plain(ending), where).toEqual(plain(wanted));
    }
  },
  180_000,
);
