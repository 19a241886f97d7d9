import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { answerCompletions, readCompletions } from "./completions.ts";
import { answerMessages, readMessages } from "./messages.ts";
import { answerResponses, readResponses } from "./responses.ts";
import type { Script, Talk, Turn } from "./talk.ts";

/** A model that follows a script, on loopback, for real agent CLIs: the messages, responses and completions wires. */
export class ModelEndpoint implements AsyncDisposable {
  /** Every conversation, as it was at each request. */
  readonly talks: Talk[] = [];
  readonly #server: Server;
  readonly #script: Script;
  readonly #hasShell: boolean;
  #answers = 0;

  private constructor(script: Script, hasShell: boolean) {
    this.#script = script;
    this.#hasShell = hasShell;
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        ({ type, body }) => response.writeHead(200, { "content-type": type }).end(body),
        (thrown) => response.writeHead(400, { "content-type": "text/plain" }).end(String(thrown)),
      );
    });
  }

  /** @param hasShell whether the CLI lets its model run commands; one that does not is answered whatever it asks. */
  static async start(script: Script, { hasShell = true } = {}): Promise<ModelEndpoint> {
    const endpoint = new ModelEndpoint(script, hasShell);
    await new Promise<void>((resolve) => endpoint.#server.listen(0, "127.0.0.1", resolve));
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(incoming: IncomingMessage): Promise<{ type: string; body: string }> {
    const { pathname } = new URL(incoming.url ?? "/", this.url);
    if (incoming.method !== "POST") return { type: "application/json", body: '{"data":[]}' };
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    this.#answers += 1;
    const id = String(this.#answers);
    switch (pathname) {
      case "/v1/messages":
        return answerMessages(request, this.#next(readMessages(request)), id);
      case "/v1/responses":
        return answerResponses(request, this.#next(readResponses(request)), id);
      case "/v1/chat/completions":
        return answerCompletions(request, this.#next(readCompletions(request, this.#hasShell)), id);
      default:
        return { type: "application/json", body: '{"input_tokens":1}' };
    }
  }

  #next(talk: Talk | undefined): Turn {
    if (talk === undefined) return { say: "ok" };
    this.talks.push(talk);
    return this.#script(talk);
  }
}
