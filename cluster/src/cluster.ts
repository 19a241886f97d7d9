import { NestError } from "@nest/kit";

/** A Secret as the cluster gives it: `apiVersion`, `kind`, `metadata`, `data`. */
export type ClusterObject = Readonly<Record<string, unknown>>;

export interface Pod {
  readonly name: string;
  /** `Running`, `Pending`, `Succeeded`, `Failed` or `Unknown`. */
  readonly phase: string;
  /** Being deleted already. */
  readonly isEnding: boolean;
  readonly containers: readonly string[];
}

export interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Program and arguments; no shell is added. */
  readonly command: readonly string[];
  /** Heard as output comes; what it throws ends the run and is thrown on. */
  stdout(piece: Buffer): void;
  readonly signal: AbortSignal;
}

export interface ExecResult {
  readonly exitCode: number;
  /** What it wrote to standard error, cut to a few hundred characters. */
  readonly stderr: string;
}

/**
 * What we ask of a Kubernetes cluster. Each call ends with the signal's reason when that comes first.
 *
 * Failures: `cluster_absent` (no such object), `cluster_forbidden`, `cluster_unauthorized`, `cluster_unreachable`,
 * `cluster_failed` (any other answer, a stream that broke off).
 */
export interface Cluster {
  /** One Secret by its name; never a list, which a role narrowed to names could not allow. */
  secret(namespace: string, name: string, signal: AbortSignal): Promise<ClusterObject>;
  /** The pods of a namespace; none is no failure. */
  pods(namespace: string, signal: AbortSignal): Promise<readonly Pod[]>;
  /** Runs a program in a container to its end. */
  exec(request: ExecRequest): Promise<ExecResult>;
}

export type ClusterFault =
  | "cluster_absent"
  | "cluster_forbidden"
  | "cluster_unauthorized"
  | "cluster_unreachable"
  | "cluster_failed";

/** The failure that goes with an answer's status. */
export function clusterFault(status: number, what: string, said: string): NestError<ClusterFault> {
  const words: Readonly<Record<number, readonly [ClusterFault, string]>> = {
    401: ["cluster_unauthorized", "the cluster does not accept our identity"],
    403: ["cluster_forbidden", "the cluster's roles do not allow it"],
    404: ["cluster_absent", "not found"],
  };
  const [code, word] = words[status] ?? ["cluster_failed", `answered ${status}`];
  return new NestError(code, `${what}: ${word}${said === "" ? "" : ` (${said})`}`);
}

/** The failure of a cluster that does not answer. */
export function clusterUnreachable(what: string, cause: unknown): NestError<"cluster_unreachable"> {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const reason = code ?? (cause instanceof Error ? cause.message : String(cause));
  return new NestError("cluster_unreachable", `${what}: the cluster does not answer (${reason})`, { cause });
}
