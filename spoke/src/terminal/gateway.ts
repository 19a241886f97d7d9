import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { AttachCommand } from "@nest/governor";
import { problemOf } from "@nest/http";
import { type CancelTimer, type Clock, type Log, NestError } from "@nest/kit";
import { type WebSocket, WebSocketServer } from "ws";
import { isBySession } from "../access/admit.ts";
import { type AdmissionDeps, admitViewer, type Viewer } from "./admission.ts";
import type { OpenPty } from "./pty.ts";
import { Viewing } from "./viewing.ts";

const MOST_FRAME_BYTES = 64 * 1024;
const MOST_SOCKETS = 64;
const MOST_OF_ONE_VIEWER = 8;
/** How often rights are looked at again, and dead connections are looked for. */
const LOOK_MS = 5000;
const SILENT_LOOKS = 12;
/** A hub's proxy says who asks only when a socket is opened: this often it is asked anew, by a viewer that comes back at once. */
const MOST_TRUSTED_MS = 10 * 60_000;
const LONGEST_GOODBYE_MS = 1000;
const closeCodes = { refused: 1008, failed: 1011, restarting: 1012 } as const;

export interface TerminalDeps extends AdmissionDeps {
  /** The program that shows an agent's terminal. */
  readonly attach: (agent: string, isReadOnly: boolean) => Promise<AttachCommand>;
  readonly openPty: OpenPty;
  readonly clock: Clock;
  readonly log: Log;
}

interface Open {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  readonly viewer: Viewer;
  readonly since: number;
  silentLooks: number;
}

/** Serves agents' terminals over WebSockets. Closing one never ends an agent: it hangs up what showed its terminal. */
export class TerminalGateway {
  readonly #deps: TerminalDeps;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MOST_FRAME_BYTES,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => offered.has("tty") && "tty",
  });
  readonly #open = new Set<Open>();
  readonly #stopLooking: CancelTimer;
  #isClosed = false;

  constructor(deps: TerminalDeps) {
    this.#deps = deps;
    this.#stopLooking = deps.clock.every(LOOK_MS, () => this.#look());
  }

  /** How many sockets are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Serves the WebSockets of a port. Other upgrades that clients offer are not taken up: those requests are answered as they are. */
  attach(server: Server): void {
    Object.assign(server, {
      shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === "websocket",
    });
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Disconnects whoever may not look any more; to be called when sessions have ended or roles have changed. */
  recheck(): void {
    for (const open of this.#open) if (!this.#mayStay(open)) open.socket.close(closeCodes.refused, "no longer allowed");
  }

  /** Disconnects everybody. */
  close(): void {
    this.#isClosed = true;
    this.#stopLooking();
    for (const { socket } of this.#open) socket.close(closeCodes.restarting, "the nest is stopping");
    // Viewers that do not answer do not keep the nest from stopping.
    this.#deps.clock.after(LONGEST_GOODBYE_MS, () => {
      for (const { socket } of this.#open) socket.terminate();
    });
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // A connection that breaks meanwhile ends nothing but itself.
    socket.on("error", () => socket.destroy());
    let viewer: Viewer;
    try {
      viewer = admitViewer(request, this.#deps);
      this.#checkRoom(viewer);
    } catch (thrown) {
      return refuse(socket, thrown);
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => void this.#serve(webSocket, request, viewer));
  }

  async #serve(socket: WebSocket, request: IncomingMessage, viewer: Viewer): Promise<void> {
    const { attach, openPty, clock, log } = this.#deps;
    const { agent, isReadOnly } = viewer;
    const open: Open = { socket, request, viewer, since: clock.now(), silentLooks: 0 };
    this.#open.add(open);
    socket.on("close", () => this.#open.delete(open));
    socket.on("pong", () => {
      open.silentLooks = 0;
    });
    const viewing = new Viewing({ socket, title: agent, isReadOnly, now: () => clock.now() });
    try {
      viewing.show(await openPty(await attach(agent, isReadOnly)));
      log.info({ agent, by: viewer.login, isReadOnly }, "terminal opened");
    } catch (thrown) {
      log.warn({ agent, err: thrown }, "a terminal could not be shown");
      const words = thrown instanceof NestError ? thrown.message : "the nest's log has the reason";
      socket.close(closeCodes.failed, words.slice(0, 100));
    }
  }

  #checkRoom({ login }: Viewer): void {
    if (this.#isClosed) throw new NestError("hub_stopping", "this nest is stopping");
    const own = [...this.#open].filter(({ viewer }) => viewer.login === login).length;
    if (own >= MOST_OF_ONE_VIEWER || this.#open.size >= MOST_SOCKETS)
      throw new NestError("too_many_requests", "too many terminals are open", { hint: "close some of them" });
  }

  #look(): void {
    this.recheck();
    for (const open of this.#open) {
      open.silentLooks += 1;
      if (open.silentLooks > SILENT_LOOKS) open.socket.terminate();
      else if (this.#deps.clock.now() - open.since >= MOST_TRUSTED_MS && !this.#isBySession(open))
        open.socket.close(closeCodes.restarting, "who looks is asked anew");
      else open.socket.ping();
    }
  }

  /** Whether the viewer would be let in again, with the same rights. */
  #mayStay({ request, viewer }: Open): boolean {
    try {
      const now = admitViewer(request, this.#deps);
      return now.isReadOnly === viewer.isReadOnly && now.login === viewer.login;
    } catch {
      return false;
    }
  }

  #isBySession({ request }: Open): boolean {
    return isBySession(request, this.#deps.keeper.judge(request), this.#deps.keeper);
  }
}

function refuse(socket: Duplex, thrown: unknown): void {
  const { status, body, retryAfter } = problemOf(thrown, "nest");
  const text = JSON.stringify(body);
  const retry = retryAfter === undefined ? "" : `Retry-After: ${retryAfter}\r\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\n${retry}Connection: close\r\n\r\n${text}`,
  );
}
