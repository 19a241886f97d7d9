import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { PASSWORD, USER } from "./login.ts";

interface StartOptions {
  /** True: waits for the disk as in production. False: never does, which is faster. */
  readonly durable?: boolean;
  /** Further settings of the server, each `name=value`. */
  readonly settings?: readonly string[];
  /** The folder with `bin/`, `lib/` and `share/`; the installed package's own when absent. */
  readonly programs?: string;
}

/** A real PostgreSQL on loopback in a process of its own, its data in a temporary folder. Gone with all of it at the end. */
export class RealPostgres implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #port = 0;
  #databases = 0;

  private constructor(options: StartOptions) {
    const settings = [`fsync=${options.durable ? "on" : "off"}`, "max_connections=300", ...(options.settings ?? [])];
    const program = fileURLToPath(new URL("server-process.ts", import.meta.url));
    const args = [program, JSON.stringify(settings), ...(options.programs === undefined ? [] : [options.programs])];
    this.#process = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const { stdout } = this.#process;
    if (stdout === null) throw new Error("the server's process has no output");
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  /**
   * Starts one.
   * @throws Error with what the server said, when it cannot be started
   */
  static async start(options: StartOptions = {}): Promise<RealPostgres> {
    const server = new RealPostgres(options);
    await server.#listening();
    return server;
  }

  /** Starts one, or gives undefined with the reason printed where there can be none; a failure where CI is set. */
  static async startIfPossible(options: StartOptions = {}): Promise<RealPostgres | undefined> {
    try {
      return await RealPostgres.start(options);
    } catch (thrown) {
      if (process.env.CI === "true") throw new Error("PostgreSQL cannot be started", { cause: thrown });
      console.error(`skipped: tests against a real PostgreSQL: ${thrown instanceof Error ? thrown.message : thrown}`);
      return undefined;
    }
  }

  /** The address of a new, empty database. */
  async database(): Promise<string> {
    const name = `nest_${this.#databases++}`;
    const client = new Client({ connectionString: this.#address("postgres") });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return this.#address(name);
  }

  /** Stops it and starts it again on what it has on disk. */
  async restart(): Promise<void> {
    this.#process.stdin?.write("restart\n");
    await this.#listening();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "close");
    this.#process.stdin?.end();
    await ended;
  }

  #address(database: string): string {
    return `postgres://${USER}:${PASSWORD}@127.0.0.1:${this.#port}/${database}`;
  }

  async #listening(): Promise<void> {
    const answer = await this.#answers.next();
    const told: { port?: number; error?: string } =
      answer.done === true ? { error: "the server's process ended" } : JSON.parse(answer.value);
    if (told.port === undefined) throw new Error(told.error);
    this.#port = told.port;
  }
}
