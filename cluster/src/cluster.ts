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
  | "cluster_forbidden"
  | "cluster_unauthorized"
  | "cluster_unreachable"
  | "cluster_failed";

/** The error for an HTTP status. */
export function clusterFault(status: number, what: string, said: string): NestError<ClusterFault> {
  const words: Readonly<Record<number, readonly [ClusterFault, string]>> = {
    401: ["cluster_unauthorized", "the cluster does not accept our identity"],
    403: ["cluster_forbidden", "the cluster's roles do not allow it"],
    404: ["cluster_absent", "not found"],
  };
  const [code, word] = words[status] ?? ["cluster_failed", `answered ${status}`];
  return new NestError(code, `${what}: ${word}${said === "" ? "" : ` (${said})`}`);
}

/** The error for a cluster that does not answer. */
export function clusterUnreachable(what: string, cause: unknown): NestError<"cluster_unreachable"> {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const reason = code ?? (cause instanceof Error ? cause.message : String(cause));
  return new NestError("cluster_unreachable", `${what}: the cluster does not answer (${reason})`, { cause });
}
