import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HubPlace } from "../load/bench-relay.ts";

/** What a hub sent to one page: its answers by address, and its stream, part by part, with the time of each. */
export class Recording {
  readonly #beganAt = performance.now();
  readonly answers = new Map<string, { readonly headers: IncomingHttpHeaders; readonly body: Buffer }>();
  readonly parts: { readonly atMs: number; readonly bytes: Buffer }[] = [];
  streamHeaders: IncomingHttpHeaders = {};

  addPart(bytes: Buffer): void {
    this.parts.push({ atMs: performance.now() - this.#beganAt, bytes });
  }
}

/**
 * Sends to pages what a hub sent before, at the same times after they were opened. So readers take the same from the machine while the
 * hub has none of the work.
 */
export class RecordedHub {
  readonly #recording: Recording;
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;
  /** How many parts were sent, and when the first page was opened. */
  #sent = 0;
  #beganAt: number | undefined;

  private constructor(recording: Recording) {
    this.#recording = recording;
    this.#server = createServer(({ url = "" }, response) => {
      if (url.startsWith("/api/contribute/events")) this.#follow(response);
      else this.#answer(url, response);
    });
  }

  static async start(recording: Recording): Promise<{ readonly hub: RecordedHub; readonly place: HubPlace }> {
    const hub = new RecordedHub(recording);
    await new Promise<void>((resolve) => hub.#server.listen(0, "127.0.0.1", resolve));
    return { hub, place: { host: "127.0.0.1", port: (hub.#server.address() as AddressInfo).port } };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(url: string, response: ServerResponse): void {
    const answer = this.#recording.answers.get(url);
    response.writeHead(answer === undefined ? 404 : 200, contentOf(answer?.headers ?? {}));
    response.end(answer?.body);
  }

  #follow(response: ServerResponse): void {
    response.writeHead(200, contentOf(this.#recording.streamHeaders));
    for (const { bytes } of this.#recording.parts.slice(0, this.#sent)) response.write(bytes);
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
    this.#beganAt ??= performance.now();
    if (this.#timer === undefined) this.#goOn(this.#beganAt);
  }

  #goOn(beganAt: number): void {
    const part = this.#recording.parts[this.#sent];
    if (part === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#sent += 1;
        for (const stream of this.#streams) stream.write(part.bytes);
        this.#goOn(beganAt);
      },
      Math.max(0, part.atMs - (performance.now() - beganAt)),
    );
  }
}

/** What an answer says of its content; the rest is the connection's own. */
function contentOf(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ["content-type", "content-encoding"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}
