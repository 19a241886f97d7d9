import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for one test, gone with it. */
export class FolderHere implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** In the system's temporary folder, unless `parent` is another (made when it is not there). */
  static async make(name: string, parent: string = tmpdir()): Promise<FolderHere> {
    await mkdir(parent, { recursive: true });
    const path = await mkdtemp(join(parent, `nest-${name}-`));
    await chmod(path, 0o700);
    return new FolderHere(path);
  }

  in(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Ports that nobody listens on at the moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
