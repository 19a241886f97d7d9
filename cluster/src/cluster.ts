import { NestError } from "@nest/kit";

/** A Secret as the cluster returns it: `apiVersion`, `kind`, `metadata`, `data`. */
export type ClusterObject = Readonly<Record<string, unknown>>;

export interface Pod {
  readonly name: string;
  /** `Running`, `Pending`, `Succeeded`, `Failed` or `Unknown`. */
  readonly phase: string;
  /** Whether it is being deleted. */
  readonly isEnding: boolean;
  readonly containers: readonly string[];
}

export interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Program and arguments; no shell is added. */
  readonly command: readonly string[];
  /** Called with each piece of output. If it throws, the run ends with that error. */
  stdout(piece: Buffer): void;
  /** What the program reads; without it, its standard input is empty. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

export interface ExecResult {
  readonly exitCode: number;
  /** Standard error, cut to a few hundred characters. */
  readonly stderr: string;
}

/**
 * The operations that Nest needs of a Kubernetes cluster. When the signal aborts a call, the call rejects with the signal's
 * reason.
 *
 * Failures: `cluster_absent` (no such object), `cluster_forbidden`, `cluster_unauthorized`, `cluster_unreachable`,
 * `cluster_failed` (any other answer, a broken connection).
 */
export interface Cluster {
  /** Reads one Secret by name. It never lists Secrets, because a role that is limited to names could not allow that. */
  secret(namespace: string, name: string, signal: AbortSignal): Promise<ClusterObject>;
  /** The pods of a namespace, possibly none. */
  pods(namespace: string, signal: AbortSignal): Promise<readonly Pod[]>;
  /** Runs a program in a container until it ends. */
  exec(request: ExecRequest): Promise<ExecResult>;
}

export type ClusterFault =
  | "cluster_absent"
  | "cluster_busy"
  | "cluster_conflict"
  | "cluster_failed"
  | "cluster_forbidden"
  | "cluster_gone"
  | "cluster_invalid"
  | "cluster_timeout"
  | "cluster_unauthorized"
  | "cluster_unreachable";

/** The cluster asks to be left alone for a while. */
export class ClusterBusy extends NestError<"cluster_busy"> {
  /** How long the cluster asked to wait, in milliseconds; undefined when it did not say. */
  readonly retryAfterMs: number | undefined;

  constructor(sentence: string, retryAfterMs: number | undefined) {
    super("cluster_busy", sentence);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The error for an HTTP status. `retryAfterMs` is what a busy cluster asked for. */
export function clusterFault(
  status: number,
  what: string,
  said: string,
  retryAfterMs?: number,
): NestError<ClusterFault> {
  const words = said === "" ? "" : ` (${said})`;
  switch (status) {
    case 400:
    case 422:
      return new NestError("cluster_invalid", `${what}: the cluster does not accept it${words}`);
    case 401:
      return new NestError("cluster_unauthorized", `${what}: the cluster does not accept our identity${words}`);
    case 403:
      return new NestError("cluster_forbidden", `${what}: the cluster's roles do not allow it${words}`);
    case 404:
      return new NestError("cluster_absent", `${what}: not found${words}`);
    case 409:
      return new NestError("cluster_conflict", `${what}: somebody else holds or changed it${words}`);
    case 410:
      return new NestError("cluster_gone", `${what}: what was asked for has expired${words}`);
    case 429:
    case 503:
      return new ClusterBusy(`${what}: the cluster is busy${words}`, retryAfterMs);
    case 504:
      return new NestError("cluster_timeout", `${what}: the cluster took too long${words}`);
    default:
      return new NestError("cluster_failed", `${what}: answered ${status}${words}`);
  }
}

/** The error for a cluster that does not answer. */
export function clusterUnreachable(what: string, cause: unknown): NestError<"cluster_unreachable"> {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const reason = code ?? (cause instanceof Error ? cause.message : String(cause));
  return new NestError("cluster_unreachable", `${what}: the cluster does not answer (${reason})`, { cause });
}
