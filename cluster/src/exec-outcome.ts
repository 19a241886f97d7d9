import { NestError } from "@nest/kit";
import type { ExecRequest, ExecResult } from "./cluster.ts";

const MOST_STDERR_CHARACTERS = 300;

/** The outcome of a run in a container, for both transports. The first outcome counts; later ones are ignored. */
export class ExecOutcome {
  readonly #what: string;
  readonly #request: ExecRequest;
  readonly #to: { done(result: ExecResult): void; failed(thrown: unknown): void };
  #stderr = "";
  #isDecided = false;

  constructor(
    what: string,
    request: ExecRequest,
    to: { done(result: ExecResult): void; failed(thrown: unknown): void },
  ) {
    this.#what = what;
    this.#request = request;
    this.#to = to;
  }

  get isDecided(): boolean {
    return this.#isDecided;
  }

  stdout(bytes: Buffer): void {
    if (this.#isDecided) return;
    try {
      this.#request.stdout(bytes);
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  stderr(bytes: Buffer): void {
    this.#stderr = `${this.#stderr}${bytes.toString("utf8")}`.slice(0, MOST_STDERR_CHARACTERS);
  }

  /** The final status from the cluster: success, an exit code, or why the program could not be run. */
  status(bytes: Buffer): void {
    const status = statusIn(bytes);
    const exitCode = exitCodeIn(status);
    if (exitCode === undefined) {
      const message = (status.message ?? "failed without a reason").slice(0, MOST_STDERR_CHARACTERS);
      this.fail(new NestError("cluster_failed", `${this.#what}: ${message}`));
    } else this.#decide(() => this.#to.done({ exitCode, stderr: this.#stderr.trim() }));
  }

  fail(thrown: unknown): void {
    this.#decide(() => this.#to.failed(thrown));
  }

  #decide(act: () => void): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    act();
  }
}

interface Status {
  readonly status?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
}

function exitCodeIn(status: Status): number | undefined {
  if (status.status === "Success") return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode");
  const code = Number(cause?.message);
  return Number.isInteger(code) && cause !== undefined ? code : undefined;
}

function statusIn(body: Buffer): Status {
  try {
    return JSON.parse(body.toString("utf8")) as Status;
  } catch {
    return {};
  }
}
