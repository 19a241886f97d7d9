import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { promisify } from "node:util";

const run = promisify(execFile);
/** A network of pods: a bridge on this machine, and a namespace with an address of its own for each pod. */
export class PodNetwork implements AsyncDisposable {
  readonly #name = `nk${process.pid}x${randomInt(1000)}`;
  readonly #net: string;
  readonly #namespaces = new Set<string>();
  #next = 2;
  readonly #proxies: Server[] = [];

  private constructor(net: string) {
    this.#net = net;
  }

  /** @param wanted the first three numbers of its addresses, where they are free. */
  static async make(wanted?: string): Promise<PodNetwork> {
    const net = await netLike(wanted);
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

  /** Gives this machine a further address that pods reach. */
  async addAddress(address: string): Promise<void> {
    await ip("addr", "add", `${address}/32`, "dev", this.#name);
  }

  /**
   * Lets pods reach a server of this machine that listens on loopback: at this address and port, 0 for any. The server sees that
   * they come from the address, and not from the machine itself, which it may trust more.
   */
  async forward(address: string, port: number, to: () => number): Promise<number> {
    const proxy = createServer((from) => {
      const target = to();
      if (target === 0) return void from.destroy();
      const there = connect({ port: target, host: "127.0.0.1", localAddress: address });
      for (const [one, other] of [
        [from, there],
        [there, from],
      ] as const) {
        one.pipe(other);
        one.on("error", () => other.destroy());
        one.on("close", () => other.destroy());
      }
    });
    this.#proxies.push(proxy);
    await new Promise<void>((resolve, reject) => proxy.once("error", reject).listen(port, address, resolve));
    proxy.unref();
    return (proxy.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const proxy of this.#proxies) proxy.close();
    for (const name of [...this.#namespaces]) await this.leave(name);
    await ip("link", "del", this.#name).catch(() => undefined);
  }
}

/** The first three numbers of addresses for pods that are free on this machine: those wanted, else any. */
export async function netLike(wanted?: string): Promise<string> {
  await sweep();
  const taken = await ip("-o", "addr");
  const nets = Array.from({ length: 256 }, (_, number) => `198.19.${number}`);
  const free = nets.filter((net) => !taken.includes(` ${net}.`));
  const net = wanted !== undefined && free.includes(wanted) ? wanted : free[randomInt(Math.max(1, free.length))];
  if (net === undefined) throw new Error("no network for pods is free");
  return net;
}

/** Takes away what runs that were killed have left. Its names tell the process that made them. */
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
