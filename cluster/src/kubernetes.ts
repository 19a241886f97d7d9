import type { IncomingMessage } from "node:http";
import { request as requestPlain } from "node:http";
import { type RequestOptions, request as requestTls } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { NestError } from "@nest/kit";
import {
  type Cluster,
  type ClusterObject,
  clusterFault,
  clusterUnreachable,
  type ExecRequest,
  type ExecResult,
  type Pod,
} from "./cluster.ts";
import { execOverSocket } from "./exec.ts";
import { execOverSpdy } from "./exec-spdy.ts";

/** A Secret is at most 1 MiB, but a list of pods may be longer. */
const MOST_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * A real cluster. The official client reads kubeconfigs and signs requests (certificates, tokens, exec plugins); this class
 * sends its few requests itself, so that each can be aborted and is limited.
 */
export class KubernetesCluster implements Cluster {
  readonly #config: KubeConfig;
  readonly #server: URL;

  constructor(config: KubeConfig) {
    this.#config = config;
    const server = config.getCurrentCluster()?.server ?? "";
    if (!URL.canParse(server)) throw new NestError("kubeconfig_unusable", "the kubeconfig names no server");
    this.#server = new URL(server);
  }

  async secret(namespace: string, name: string, signal: AbortSignal): Promise<ClusterObject> {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
    return (await this.#get(path, `Secret ${namespace}/${name}`, signal)) as ClusterObject;
  }

  async pods(namespace: string, signal: AbortSignal): Promise<readonly Pod[]> {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const list = (await this.#get(path, `pods of ${namespace}`, signal)) as { items?: readonly RawPod[] };
    return (list.items ?? []).map(podOf);
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    const what = `exec in ${request.namespace}/${request.pod}`;
    const query = new URLSearchParams({ container: request.container, stdout: "true", stderr: "true" });
    for (const word of request.command) query.append("command", word);
    const path = `/api/v1/namespaces/${encodeURIComponent(request.namespace)}/pods/${encodeURIComponent(request.pod)}/exec`;
    const run = { url: this.#url(`${path}?${query}`), options: await this.#options(what), what, request };
    try {
      return await execOverSocket(run);
    } catch (thrown) {
      // A WebSocket begins with GET, which needs the verb `get` in addition to `create`; SPDY needs only `create`.
      if (!(thrown instanceof NestError) || thrown.code !== "cluster_forbidden") throw thrown;
      return execOverSpdy({ ...run, options: await this.#options(what) });
    }
  }

  async #get(path: string, what: string, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const url = this.#url(path);
    const options = { ...(await this.#options(what)), method: "GET", signal };
    const { status, text } = await answerOf(url, options).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw cause instanceof NestError ? cause : clusterUnreachable(what, cause);
    });
    const body = parsed(text);
    if (status !== 200)
      throw clusterFault(status, what, String((body as { message?: unknown })?.message ?? "").slice(0, 300));
    if (body === undefined) throw new NestError("cluster_failed", `${what}: the answer is not JSON`);
    return body;
  }

  async #options(what: string): Promise<RequestOptions> {
    const options: RequestOptions = { headers: { accept: "application/json" } };
    try {
      await this.#config.applyToHTTPSOptions(options);
    } catch (cause) {
      throw clusterUnreachable(`${what}: no credentials`, cause);
    }
    return options;
  }

  #url(path: string): URL {
    return new URL(`${this.#server.pathname.replace(/\/$/, "")}${path}`, this.#server);
  }
}

function answerOf(url: URL, options: RequestOptions): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestTls : requestPlain;
    const sent = request(url, options, (answer: IncomingMessage) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      answer.on("data", (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > MOST_ANSWER_BYTES)
          sent.destroy(new NestError("cluster_failed", "the cluster's answer is too long"));
        pieces.push(piece);
      });
      answer.on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString("utf8") }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

interface RawPod {
  readonly metadata?: { readonly name?: string; readonly deletionTimestamp?: string };
  readonly status?: { readonly phase?: string };
  readonly spec?: { readonly containers?: readonly { readonly name?: string }[] };
}

function podOf(raw: RawPod): Pod {
  return {
    name: raw.metadata?.name ?? "",
    phase: raw.status?.phase ?? "Unknown",
    isEnding: raw.metadata?.deletionTimestamp !== undefined,
    containers: (raw.spec?.containers ?? []).map(({ name }) => name ?? ""),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
