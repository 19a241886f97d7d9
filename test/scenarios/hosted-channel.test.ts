import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { namespaceOf } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HostedScene } from "../harness/hosted-scene.ts";

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
let now = digest("a");
/** A registry as far as it is asked: what the tag stands for. */
const registry = createServer((_, response) => response.writeHead(200, { "docker-content-digest": now }).end());
let channel: string;
let scene: HostedScene;

beforeEach(async () => {
  now = digest("a");
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  channel = `127.0.0.1:${(registry.address() as AddressInfo).port}/team/nest-spoke:stable`;
  const east = { id: "east", in_cluster: true, domain: "east.example.org", ingress: "ingress", image: channel };
  scene = await HostedScene.start({ clusters: [east] });
  await scene.user("ada");
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
  registry.closeAllConnections();
  await new Promise((resolve) => registry.close(resolve));
});

/** The image of a nest once two minutes have gone by. */
async function imageSoon(id: string): Promise<string | undefined> {
  await scene.hub.clock.advance(60_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await scene.hub.clock.advance(60_000);
  return ((await scene.hub.admin("GET", `/api/saas/nests/${id}`)).body as { image?: string }).image;
}

test("a nest that upgrades by itself follows its channel when the tag has moved, and not before", async () => {
  const id = await scene.create("ada");
  await scene.as("ada", "PUT", `/api/saas/nests/${id}/auto-upgrade`, { auto_upgrade: true });
  const file = join(scene.hub.folder, "saas/nests", id, "meta.json");
  const record = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...record, image: `${channel}@${digest("a")}` }));
  expect(await imageSoon(id)).toBe(`${channel}@${digest("a")}`);
  now = digest("b");
  await expect.poll(() => imageSoon(id), { timeout: 20_000 }).toBe(`${channel}@${digest("b")}`);
  await scene.stands(id, "running");
  const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "nest", namespace: namespaceOf(id) };
  const deployment = await scene.cluster.read(ref, new AbortController().signal);
  expect(JSON.stringify(deployment)).toContain(`"image":"${channel}@${digest("b")}"`);
});
