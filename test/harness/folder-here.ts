import { randomInt } from "node:crypto";
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

/**
 * Loopback ports that nothing listens on. They lie below those that the system gives to connections that go out: a server that is
 * stopped and started again finds its port free however many connections are made meanwhile.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = 10_000 + randomInt(22_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
