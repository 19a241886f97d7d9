import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryCluster } from "@nest/cluster";
import type { nests } from "@nest/protocol";
import { FakeControllers } from "@nest/provisioner/testing";
import { expect } from "vitest";
import { TestHub } from "./hub.ts";

export interface HostedSceneOptions {
  /** The entries of `clusters.json`; one cluster `east` unless given. */
  readonly clusters?: readonly object[];
  readonly admins?: readonly string[];
}

const east = { id: "east", in_cluster: true, domain: "east.example.org", ingress: "ingress" };

/** What somebody sends to create a nest. */
export const aNest = { org: "acme", repos: "acme/shop, acme/web", github_token: "ghp_abcdefgh" };

/** A hub with hosted nests on a cluster in memory. People are known by the login's cookie alone. */
export class HostedScene implements AsyncDisposable {
  readonly hub: TestHub;
  readonly cluster: MemoryCluster;
  readonly controllers: FakeControllers;

  private constructor(hub: TestHub, cluster: MemoryCluster, controllers: FakeControllers) {
    this.hub = hub;
    this.cluster = cluster;
    this.controllers = controllers;
  }

  static async start({ clusters = [east], admins = ["root"] }: HostedSceneOptions = {}): Promise<HostedScene> {
    const cluster = new MemoryCluster();
    const controllers = new FakeControllers(cluster);
    const hub = await TestHub.start({
      config: { plainUserCookie: true, admins, publicUrl: "http://hub.example.org", hosts: ["127.0.0.1"] },
      connectCluster: async () => cluster,
    });
    await writeFile(join(hub.folder, "clusters.json"), JSON.stringify(clusters));
    return new HostedScene(hub, cluster, controllers);
  }

  /** Makes somebody known to the hub, as their first sign-in does. */
  async user(login: string, more: object = {}): Promise<void> {
    const folder = join(this.hub.folder, "saas/users");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${login}.json`), JSON.stringify({ github_username: login, ...more }));
  }

  /** Calls the hub as somebody who is signed in. */
  as(login: string, method: string, path: string, body?: unknown) {
    return this.hub.call(method, path, body, { cookie: `nest_hub_user=${login}` });
  }

  /** Creates a nest and waits until it stands as it should. */
  async create(login: string, body: object = {}, status = "running"): Promise<string> {
    const { body: made, status: code } = await this.as(login, "POST", "/api/saas/nests", { ...aNest, ...body });
    expect(code, JSON.stringify(made)).toBe(200);
    const { id } = made as { id: string };
    await this.stands(id, status);
    return id;
  }

  /** Waits until a nest stands as it should, while time goes on. */
  async stands(id: string, status: string): Promise<nests.NestDetail> {
    const read = async () => (await this.hub.admin("GET", `/api/saas/nests/${id}`)).body as nests.NestDetail;
    await expect
      .poll(
        async () => {
          await this.hub.clock.advance(1000);
          return (await read()).status;
        },
        { timeout: 15_000, interval: 20 },
      )
      .toBe(status);
    return read();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.controllers[Symbol.dispose]();
    await this.hub[Symbol.asyncDispose]();
  }
}
