import type { ServerResponse } from "node:http";
import type { KubernetesObject } from "@nest/cluster";
import type { Change } from "@nest/cluster/memory-objects";

interface OpenWatch {
  readonly response: ServerResponse;
  readonly isWanted: (object: KubernetesObject) => boolean;
}

/** The changes of the small API server, and who watches them. A test ends, tears and spoils watches, or lets versions expire. */
export class Watches {
  readonly #open = new Set<OpenWatch>();
  #changes: { readonly version: number; readonly change: Change }[] = [];
  #oldest = 0;

  get count(): number {
    return this.#open.size;
  }

  note(change: Change): void {
    this.#changes.push({ version: Number(change.object.metadata.resourceVersion), change });
    for (const watch of this.#open) if (watch.isWanted(change.object)) watch.response.write(lineOf(change));
  }

  /** Serves a watch from a version on; one that has expired gets the error that the real server sends. */
  serve(response: ServerResponse, from: number, isWanted: (object: KubernetesObject) => boolean): void {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    if (from < this.#oldest) {
      const status = { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired", message: "too old version" };
      response.end(`${JSON.stringify({ type: "ERROR", object: status })}\n`);
      return;
    }
    for (const { version, change } of this.#changes)
      if (version > from && isWanted(change.object)) response.write(lineOf(change));
    const watch = { response, isWanted };
    this.#open.add(watch);
    response.on("close", () => this.#open.delete(watch));
  }

  /** Forgets what was before this version, as servers do after some minutes. */
  expireBefore(version: string): void {
    this.#oldest = Number(version);
    this.#changes = [];
  }

  bookmark(version: string): void {
    const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: version } };
    this.say(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
  }

  /** Sends any bytes on all open watches. */
  say(bytes: string): void {
    for (const { response } of this.#open) response.write(bytes);
  }

  /** Breaks all open watches; the server's side of the connection is gone at once. */
  cut(): void {
    for (const { response } of [...this.#open]) response.destroy();
    this.#open.clear();
  }
}

function lineOf({ type, object }: Change): string {
  return `${JSON.stringify({ type: type.toUpperCase(), object })}\n`;
}
