import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { FolderHere } from "../harness/folder-here.ts";
import { RelayProcess } from "../harness/relay-process.ts";
import { Bindings, type Step, type Transcript, transcriptsOf } from "../harness/transcript.ts";
import { TranscriptPeer } from "../harness/transcript-peer.ts";

/** Our relay at hubs of another family, as they were recorded (protocol/vectors/transcripts/README.md). */

const WITHIN_MS = 20_000;
const TOKEN = "0123456789abcdef".repeat(4);

/** A hub that is played from a transcript: relays come, and wait to be spoken to. */
class PlayedHub implements AsyncDisposable {
  readonly known = new Bindings();
  readonly #peers = new Map<number, TranscriptPeer>();
  readonly #http = createServer();
  readonly #come: WebSocket[] = [];

  static async start(): Promise<PlayedHub> {
    const hub = new PlayedHub();
    const server = new WebSocketServer({ server: hub.#http });
    server.on("connection", (socket) => hub.#come.push(socket));
    await new Promise<void>((resolve) => hub.#http.listen(0, "127.0.0.1", resolve));
    return hub;
  }

  get address(): string {
    return `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}/api/contribute/ws`;
  }

  /** Takes one step; answers with how our relay differs from the transcript, undefined when it does not. */
  async take(step: Step): Promise<string | undefined> {
    if ("frame" in step) {
      const peer = this.#peers.get(step.connection);
      if (step.from === "relay") return peer?.differs(step.frame, this.known, WITHIN_MS);
      peer?.say(this.known.filled(step.frame));
      return undefined;
    }
    switch (step.do) {
      case "connect": {
        await expect.poll(() => this.#come.length, { timeout: WITHIN_MS }).toBeGreaterThan(0);
        const socket = this.#come.shift();
        if (socket !== undefined) this.#peers.set(step.connection, new TranscriptPeer(socket));
        return undefined;
      }
      case "cut":
        this.#peers.get(step.connection)?.cut();
        this.#peers.delete(step.connection);
        return undefined;
      case "kill hub":
        for (const peer of this.#peers.values()) peer.cut();
        this.#peers.clear();
        return undefined;
      case "open issue":
      case "wait":
        throw new Error(`${step.do}: not for a played hub`);
    }
  }

  /** What our relay said beyond the transcript. */
  get left(): readonly object[] {
    return [...this.#peers.values()].flatMap((peer) => peer.left);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    for (const socket of this.#come) socket.terminate();
    for (const peer of this.#peers.values()) peer.cut();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}

function relayAt(hub: PlayedHub, folder: FolderHere, { agent_seconds = 0 }: Transcript): RelayProcess {
  return new RelayProcess({
    folder: folder.path,
    socket: hub.address,
    token: TOKEN,
    agent: join(import.meta.dirname, "../fakes/bin/agent-ok"),
    codeHostUrl: "https://github.com",
    environment: {
      NEST_SESSION: "desk",
      NEST_AGENT_ENV: "FAKE_SECONDS",
      FAKE_SECONDS: String(agent_seconds),
      GH_TOKEN: "ghp_made_up_for_the_transcript",
    },
  });
}

test.each(transcriptsOf("relay"))(
  "$file: $transcript.name",
  async ({ transcript }) => {
    await using folder = await FolderHere.make("transcript");
    await using hub = await PlayedHub.start();
    hub.known.bind("token", TOKEN);
    await using relay = relayAt(hub, folder, transcript);
    for (const [at, step] of transcript.steps.entries()) {
      const where = `step ${at + 1} of ${transcript.steps.length}: ${JSON.stringify(step)}`;
      expect(await hub.take(step), `${where}\n${relay.process.said}`).toBeUndefined();
    }
    expect(hub.left).toEqual([]);
  },
  120_000,
);

test("there are transcripts of the first hubs and of the newest", () => {
  expect(transcriptsOf("relay").map(({ file }) => file)).toEqual(
    expect.arrayContaining(["hub-1.0-two-tasks.json", "hub-1.4.json"]),
  );
});
