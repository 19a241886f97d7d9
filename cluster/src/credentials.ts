import { Agent as PlainAgent } from "node:http";
import { type RequestOptions, Agent as TlsAgent } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { NestError, plainLine } from "@nest/kit";
import { untilAborted } from "./until-aborted.ts";

const MOST_WORDS = 200;

/**
 * Where a cluster is and how its requests are signed. The official client reads kubeconfigs, certificates, tokens and runs exec
 * plugins; this keeps the connections open between requests.
 */
export class Credentials {
  readonly #read: () => KubeConfig | Promise<KubeConfig>;
  readonly #agents = new Map<unknown, PlainAgent>();
  #config: KubeConfig;
  #renewal: Promise<void> | undefined;

  /** `read` gives the kubeconfig as it is now; it is asked again when the cluster refuses what the first one says. */
  constructor(config: KubeConfig, read: () => KubeConfig | Promise<KubeConfig>) {
    this.#config = config;
    this.#read = read;
    serverOf(config);
  }

  url(path: string): URL {
    const server = serverOf(this.#config);
    return new URL(`${server.pathname.replace(/\/$/, "")}${path}`, server);
  }

  /**
   * The options of one request: certificates, authorization, connection.
   *
   * @throws NestError `cluster_unauthorized` when there are no credentials to be had.
   */
  async options(what: string, signal: AbortSignal): Promise<RequestOptions> {
    const options: RequestOptions = { headers: { accept: "application/json" } };
    try {
      await untilAborted(this.#config.applyToHTTPSOptions(options), signal);
    } catch (cause) {
      signal.throwIfAborted();
      const words = plainLine(cause instanceof Error ? cause.message : String(cause)).slice(0, MOST_WORDS);
      throw new NestError("cluster_unauthorized", `${what}: no credentials (${words})`, { cause });
    }
    options.agent = this.#lasting(options.agent);
    return options;
  }

  /** Reads the kubeconfig again, because a token was renewed or revoked; one that cannot be read changes nothing. */
  renew(): Promise<void> {
    this.#renewal ??= this.#again().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #again(): Promise<void> {
    try {
      const config = await this.#read();
      serverOf(config);
      this.#config = config;
    } catch {
      // The caller goes on with what it has, and tells the refusal.
    }
  }

  /** The same connection settings with connections that last; an agent of another make (a proxy's) stays as it is. */
  #lasting(agent: RequestOptions["agent"]): RequestOptions["agent"] {
    const make =
      agent?.constructor === TlsAgent ? TlsAgent : agent?.constructor === PlainAgent ? PlainAgent : undefined;
    if (make === undefined || typeof agent !== "object") return agent;
    const known = this.#agents.get(agent);
    if (known !== undefined) return known;
    for (const old of this.#agents.values()) if (this.#agents.size > 3) old.destroy();
    if (this.#agents.size > 3) this.#agents.clear();
    const lasting = new make({ ...(agent as TlsAgent).options, keepAlive: true, maxFreeSockets: 8 });
    this.#agents.set(agent, lasting);
    return lasting;
  }
}

function serverOf(config: KubeConfig): URL {
  const server = config.getCurrentCluster()?.server ?? "";
  if (!URL.canParse(server)) throw new NestError("kubeconfig_unusable", "the kubeconfig names no server");
  return new URL(server);
}
