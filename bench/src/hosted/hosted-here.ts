import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@nest/kit";
import { startLocalCodeHost } from "@nest/local-codehost";
import { RealCluster, realClusterFolder } from "@nest/test/real-cluster";
import { HubHere } from "../process/hub-here.ts";

const TOKEN = "token-of-the-hub";
/** By which a hub marks what it makes on a cluster. */
export const HUB_ID = "bench";
export const CLUSTER_ID = "real";

/** A real API server, and hubs of this machine that work on it. Gone with all their data at the end. */
export class HostedHere {
  readonly cluster: RealCluster;
  readonly #things: AsyncDisposableStack;
  readonly #folder: string;
  readonly #apiUrl: string;

  private constructor(
    things: AsyncDisposableStack,
    of: { readonly cluster: RealCluster; readonly folder: string; readonly apiUrl: string },
  ) {
    this.#things = things;
    this.cluster = of.cluster;
    this.#folder = of.folder;
    this.#apiUrl = of.apiUrl;
  }

  /** @throws Error where the API server is not built. */
  static async start({ controllers }: { readonly controllers: boolean }): Promise<HostedHere> {
    const programs = realClusterFolder();
    if (programs === undefined) throw new Error("there is no API server on this machine to measure against");
    const things = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "nest-bench-hosted-"));
    things.defer(() => rm(folder, { recursive: true, force: true }));
    const { apiUrl, close } = await startLocalCodeHost({
      dataDir: join(folder, "codehost"),
      clock: systemClock(),
      seed: {
        organisations: [],
        tokens: { [TOKEN]: "hub" },
        repositories: [{ owner: "acme", name: "one", description: "", files: {}, issues: [] }],
      },
    });
    things.defer(close);
    const cluster = things.use(await RealCluster.start(programs, { controllers }));
    return new HostedHere(things, { cluster, folder, apiUrl });
  }

  /** The data folder of a hub, with a `clusters.json` that has this cluster with whatever `entry` says beside. */
  async dataFolder(name: string, entry: object): Promise<string> {
    const folder = join(this.#folder, name);
    await mkdir(join(folder, "saas"), { recursive: true });
    await writeFile(join(folder, "saas/hub-id"), HUB_ID);
    const kubeconfig = { kubeconfig_path: await this.cluster.kubeconfig(), domain: "nests.example.org" };
    await writeFile(join(folder, "clusters.json"), JSON.stringify([{ id: CLUSTER_ID, ...kubeconfig, ...entry }]));
    return folder;
  }

  async hub(dataFolder: string, environment: Readonly<Record<string, string>> = {}): Promise<HubHere> {
    const hub = await HubHere.start(dataFolder, { apiUrl: this.#apiUrl, token: TOKEN }, environment);
    this.#things.defer(() => hub.stop());
    return hub;
  }

  async close(): Promise<void> {
    await this.#things.disposeAsync();
  }
}
