import { Kubelet, type KubeletOptions } from "@nest/local-cluster";
import { PodmanHere, whyNoImage } from "../harness/contributor-image.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { PLAYED, type RealCluster, realClusterFolder } from "./real-cluster.ts";

/**
 * Why pods cannot run for real on this machine; undefined when they can. A failure where CI is set, unless it says that it has
 * no real cluster.
 */
export async function whyNoPods(): Promise<string | undefined> {
  const reason = realClusterFolder() === undefined ? "the real API server is not built" : await whyNoContainers();
  const isRequired = process.env.CI === "true" && process.env.NEST_TEST_WITHOUT_REAL_CLUSTER !== "1";
  if (reason !== undefined && isRequired) throw new Error(`pods cannot run for real: ${reason}`);
  if (reason !== undefined) console.error(`skipped: tests with pods that run for real (${reason})`);
  return reason;
}

async function whyNoContainers(): Promise<string | undefined> {
  const reason = await whyNoImage();
  if (reason !== undefined) return reason;
  await using folder = await FolderHere.make("podman");
  const podman = await PodmanHere.make(folder);
  return await podman.whyNoContainers();
}

/** The kubelet of the local cluster with the podman of the tests, on a real API server. */
export class RealNode implements AsyncDisposable {
  readonly #folder: FolderHere;
  readonly #kubelet: Kubelet;

  private constructor(folder: FolderHere, kubelet: Kubelet) {
    this.#folder = folder;
    this.#kubelet = kubelet;
  }

  static async start(real: RealCluster, options: Pick<KubeletOptions, "restart"> = {}): Promise<RealNode> {
    const folder = await FolderHere.make("kubelet");
    const { environment } = await PodmanHere.make(folder);
    const onFault = (fault: unknown) => console.error("kubelet:", fault);
    const given = { ...options, folder: folder.in("node"), environment, leaves: PLAYED, onFault };
    return new RealNode(folder, await Kubelet.start(real, given));
  }

  /** This machine, as pods reach it. */
  get gateway(): string {
    return this.#kubelet.gateway;
  }

  /** Lets pods reach a server of this machine at the gateway. */
  serve(port: number, to: () => number): Promise<number> {
    return this.#kubelet.serve(port, to);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kubelet[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}
