import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { HubPlace } from "./bench-relay.ts";

/** The bench's own admin, of hubs in temporary folders. */
export const ADMIN_TOKEN = "bench-admin-token-bench-admin-token";

export interface Watched {
  readonly events: number;
  readonly bytes: number;
}

/** An admin's Operations page, as far as the hub sees it: the stream of the fleet's changes, read as fast as it comes. */
export class Watcher implements AsyncDisposable {
  readonly #response: IncomingMessage;
  #events = 0;
  #bytes = 0;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    response.on("error", () => undefined);
    response.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      for (let at = chunk.indexOf("\nevent: "); at !== -1; at = chunk.indexOf("\nevent: ", at + 1)) this.#events += 1;
    });
  }

  static async open({ host, port }: HubPlace): Promise<Watcher> {
    const path = "/api/contribute/events?fleet=changes";
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const [response] = (await once(get({ host, port, path, headers }), "response")) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`the hub's stream answers ${response.statusCode}`);
    return new Watcher(response);
  }

  watched(): Watched {
    return { events: this.#events, bytes: this.#bytes };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#response.destroy();
  }
}
