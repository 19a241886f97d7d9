import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Addresses that are kept for measurements, so that no machine needs them for anything else (RFC 2544). */
export const SERVICE_RANGE = "198.18.0.0/24";
/** The service address that the API server's certificate names: the first of its range. */
export const API_SERVICE = "198.18.0.1";

/** A network of pods: a bridge on this machine, and a namespace with an address of its own for each pod. */
export class PodNetwork implements AsyncDisposable {
  readonly #name = `nk${process.pid}x${randomInt(1000)}`;
  readonly #net: string;
  readonly #namespaces = new Set<string>();
  #next = 2;
  #proxy: Server | undefined;

  private constructor(net: string) {
    this.#net = net;
  }

  static async make(): Promise<PodNetwork> {
    await sweep();
    const taken = await ip("-o", "addr");
    const free = Array.from({ length: 256 }, (_, number) => `198.19.${number}`).filter(
      (net) => !taken.includes(`${net}.`),
    );
    const net = free[randomInt(Math.max(1, free.length))];
    if (net === undefined) throw new Error("no network for pods is free");
    const network = new PodNetwork(net);
    await ip("link", "add", network.#name, "type", "bridge");
    try {
      await ip("addr", "add", `${network.gateway}/24`, "dev", network.#name);
      await ip("link", "set", network.#name, "up");
      return network;
    } catch (thrown) {
      await network[Symbol.asyncDispose]();
      throw thrown;
    }
  }

  /** This machine, as pods reach it. */
  get gateway(): string {
    return `${this.#net}.1`;
  }

  /** Makes a pod's namespace; the path is for `podman run --network ns:…`. */
  async join(): Promise<{ readonly name: string; readonly path: string; readonly ip: string }> {
    const number = this.#next++;
    if (number > 254) throw new Error("the network of pods is full");
    const [name, address] = [`${this.#name}-${number}`, `${this.#net}.${number}`];
    const link = `${this.#name}v${number}`.slice(-15);
    await ip("netns", "add", name);
    this.#namespaces.add(name);
    await ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
    await ip("link", "set", link, "master", this.#name, "up");
    await ip("-n", name, "addr", "add", `${address}/24`, "dev", "eth0");
    for (const device of ["eth0", "lo"]) await ip("-n", name, "link", "set", device, "up");
    await ip("-n", name, "route", "add", "default", "via", this.gateway);
    return { name, path: `/run/netns/${name}`, ip: address };
  }

  async leave(name: string): Promise<void> {
    if (this.#namespaces.delete(name)) await ip("netns", "del", name).catch(() => undefined);
  }

  /** Lets pods reach the API server, which listens on loopback, as `https://KUBERNETES_SERVICE_HOST:port`. */
  async forward(port: number): Promise<number> {
    await ip("addr", "add", `${API_SERVICE}/32`, "dev", this.#name);
    const proxy = createServer((from) => {
      const to = connect(port, "127.0.0.1");
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        one.pipe(other);
        one.on("error", () => other.destroy());
        one.on("close", () => other.destroy());
      }
    });
    this.#proxy = proxy;
    await new Promise<void>((resolve, reject) => proxy.once("error", reject).listen(0, API_SERVICE, resolve));
    proxy.unref();
    return (proxy.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proxy?.close();
    for (const name of [...this.#namespaces]) await this.leave(name);
    await ip("link", "del", this.#name).catch(() => undefined);
  }
}

/** Takes away what test runs that were killed have left. Its names tell the process that made them. */
async function sweep(): Promise<void> {
  const bridges = (await ip("-o", "link", "show", "type", "bridge")).matchAll(/^\d+: (nk\d+x\d+)/gm);
  const namespaces = (await ip("netns", "list")).matchAll(/^(nk\d+x\d+-\d+)/gm);
  for (const [, name = ""] of namespaces) if (isLeft(name)) await ip("netns", "del", name).catch(() => undefined);
  for (const [, name = ""] of bridges) if (isLeft(name)) await ip("link", "del", name).catch(() => undefined);
}

/** Whether the process that made it is gone. */
export function isLeft(name: string): boolean {
  try {
    process.kill(Number(/^nk(\d+)/.exec(name)?.[1]), 0);
    return false;
  } catch {
    return true;
  }
}

async function ip(...args: readonly string[]): Promise<string> {
  return (await run("ip", args, { timeout: 10_000 })).stdout;
}
