import { connect, type Socket } from "node:net";
import { encodeFrames, encodePong, FrameReader, type FrameTaker } from "./frames.ts";
import { readHubWord } from "./hub-words.ts";

export interface HubPlace {
  readonly host: string;
  readonly port: number;
}

/** A task as the bench remembers it. */
export interface HeldTask {
  readonly taskId: string;
  readonly gen: string;
  readonly issue: string;
}

/** What happens to a relay; the mode that runs decides what to do about it. */
export interface RelayEvents {
  authenticated(relay: BenchRelay): void;
  assigned(relay: BenchRelay, task: HeldTask): void;
  acknowledged(relay: BenchRelay): void;
  ponged(relay: BenchRelay): void;
  unavailable(relay: BenchRelay, reason: string): void;
  revoked(relay: BenchRelay, reason: string): void;
  refused(relay: BenchRelay, reason: string): void;
  closed(relay: BenchRelay): void;
}

const READY = encodeFrames(['{"type":"ready"}']);
const PING = encodeFrames(['{"type":"ping"}']);
const COMPLETED = ',"result":"completed","verdict":"idle"';
const UPGRADED = Buffer.from("HTTP/1.1 101");

/** One relay of the load client: a bare socket that speaks the wire, as lean as it can be. */
export class BenchRelay implements FrameTaker {
  readonly index: number;
  readonly #token: string;
  readonly #events: () => RelayEvents;
  #socket: Socket | undefined;
  #reader = new FrameReader();
  #upgraded = false;
  /** When it last asked for work (ms of `performance.now`). */
  askedAt = 0;
  isAuthenticated = false;
  held: HeldTask | undefined;

  constructor(index: number, token: string, events: () => RelayEvents) {
    this.index = index;
    this.#token = token;
    this.#events = events;
  }

  /** Dials the hub; each relay has its own loopback address where the system allows, as relays in the world have. */
  dial(place: HubPlace): void {
    this.#reader = new FrameReader();
    this.#upgraded = false;
    const socket = connect({ ...place, noDelay: true, ...localAddress(place.host, this.index) });
    this.#socket = socket;
    socket.on("connect", () => socket.write(upgradeRequest(place)));
    socket.on("data", (chunk: Buffer) => this.#take(socket, chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.isAuthenticated = false;
      this.#events().closed(this);
    });
  }

  askForWork(): void {
    this.askedAt = performance.now();
    this.#socket?.write(READY);
  }

  accept(task: HeldTask): void {
    this.#socket?.write(encodeFrames([word("task_accepted", task), word("task_progress", task)]));
  }

  /** Says that the work goes on, as a relay does every now and then. */
  report(task: HeldTask): void {
    this.#socket?.write(encodeFrames([word("task_progress", task, ',"status":"working"')]));
  }

  complete(task: HeldTask): void {
    this.#socket?.write(encodeFrames([word("task_complete", task, COMPLETED)]));
  }

  /** Claims a task after a reconnect: the pair that resumes it names the issue too. */
  resume(task: HeldTask): void {
    const [repo, number] = task.issue.split("#");
    const claim = `,"kind":"issue","repo":"${repo}","number":${number}`;
    this.#socket?.write(encodeFrames([word("task_accepted", task), word("task_progress", task, claim)]));
  }

  /** The whole of a task's life in one write, with the next `ready` behind it when `thenAsk`. */
  workThrough(task: HeldTask, thenAsk = false): void {
    if (thenAsk) this.askedAt = performance.now();
    this.#socket?.write(
      encodeFrames([
        word("task_accepted", task),
        word("task_progress", task),
        word("task_complete", task, COMPLETED),
        ...(thenAsk ? ['{"type":"ready"}'] : []),
      ]),
    );
  }

  ping(): void {
    this.#socket?.write(PING);
  }

  hangUp(): void {
    this.#socket?.destroy();
  }

  text(text: string): void {
    const heard = readHubWord(text);
    const events = this.#events();
    switch (heard.type) {
      case "auth_challenge":
        this.#socket?.write(encodeFrames([authResponse(this.#token)]));
        return;
      case "auth_ok":
        this.isAuthenticated = true;
        events.authenticated(this);
        return;
      case "task_assign":
        events.assigned(this, heard);
        return;
      case "task_ack":
        events.acknowledged(this);
        return;
      case "pong":
        events.ponged(this);
        return;
      case "auth_failed":
        events.refused(this, heard.reason);
        return;
      case "task_unavailable":
        events.unavailable(this, heard.reason);
        return;
      case "task_revoke":
        events.revoked(this, heard.reason);
        return;
      case "other":
    }
  }

  pinged(payload: Buffer): void {
    this.#socket?.write(encodePong(payload));
  }

  /** A close frame: the hub will not read on, so neither do we. */
  closing(): void {
    this.#socket?.destroy();
  }

  #take(socket: Socket, chunk: Buffer): void {
    if (this.#upgraded) {
      this.#reader.read(chunk, this);
      return;
    }
    const end = chunk.indexOf("\r\n\r\n");
    if (end === -1 || !chunk.subarray(0, UPGRADED.length).equals(UPGRADED)) {
      this.#events().refused(this, `http ${chunk.toString("latin1", 9, 12)}`);
      socket.destroy();
      return;
    }
    this.#upgraded = true;
    if (chunk.length > end + 4) this.#reader.read(chunk.subarray(end + 4), this);
  }
}

function word(type: string, task: HeldTask, more = ""): string {
  return `{"type":"${type}","task_id":"${task.taskId}","task_gen":${task.gen}${more}}`;
}

function authResponse(token: string): string {
  return JSON.stringify({
    type: "auth_response",
    registration_token: token,
    cli_backend: "bench",
    model: "none",
    relay_protocol_version: "1.2",
    capabilities: { relay_capabilities: ["task_ack"] },
  });
}

function upgradeRequest({ host, port }: HubPlace): string {
  return `GET /api/contribute/ws HTTP/1.1\r\nHost: ${host}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: bmVzdC1iZW5jaG1hcmshIQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`;
}

/** Linux takes any 127/8 address without being told. */
function localAddress(host: string, index: number): { localAddress?: string } {
  if (process.platform !== "linux" || host !== "127.0.0.1") return {};
  return { localAddress: `127.0.${1 + (Math.floor(index / 250) % 250)}.${1 + (index % 250)}` };
}
