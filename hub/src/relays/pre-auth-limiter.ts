import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Session } from "./session.ts";

/** Sockets that have not said who they are yet: at most this many from one address, and in all. */
const MOST_UNAUTHENTICATED_PER_ADDRESS = 64;
const MOST_UNAUTHENTICATED = 1000;
const PATHS = new Set(["/api/contribute/ws", "/contribute"]);

export interface PreAuthLimiterDeps {
  /** Addresses that keep sending tokens which are none. */
  readonly guesses: { waitMs(address: string): number };
  /** Whether a request names this hub. */
  readonly isKnownHost: (request: IncomingMessage) => boolean;
  /** For whom a request is made: the peer, or whom a trusted proxy names. */
  readonly addressOf: (request: IncomingMessage) => string;
}

/** Where sockets stand that have not said who they are yet, and who is turned away before that. */
export class PreAuthLimiter {
  readonly #deps: PreAuthLimiterDeps;
  readonly #waiting = new Set<Session>();
  readonly #perAddress = new Map<string, number>();
  /** Turned away because there was no room, or no patience. */
  turnedAway = 0;
  isClosed = false;

  constructor(deps: PreAuthLimiterDeps) {
    this.#deps = deps;
  }

  /** Everybody who waits. */
  waiting(): IterableIterator<Session> {
    return this.#waiting.values();
  }

  /** The address that an upgrade comes from; undefined when it was answered with why it may not come in. */
  admit(request: IncomingMessage, socket: Duplex): string | undefined {
    socket.on("error", destroy);
    const path = pathOf(request.url ?? "/");
    if (path === undefined) return refuse(socket, 400, "bad_request", "the address could not be read");
    if (!this.#deps.isKnownHost(request))
      return refuse(socket, 421, "misdirected_request", "this hub is not known by the name in the Host header");
    if (!PATHS.has(path.replace(/(.)\/$/, "$1")))
      return refuse(socket, 404, "not_found", "no WebSocket here; relays connect to /api/contribute/ws");
    if (this.isClosed) return refuse(socket, 503, "hub_stopping", "the hub is restarting");
    if (!isSameOrigin(request)) return refuse(socket, 403, "foreign_origin", "the Origin header names another host");
    const address = this.#deps.addressOf(request);
    if (this.#deps.guesses.waitMs(address) > 0) {
      this.turnedAway += 1;
      return refuse(socket, 503, "too_many_requests", "too many wrong tokens from this address");
    }
    const fromThere = this.#perAddress.get(address) ?? 0;
    if (this.#waiting.size >= MOST_UNAUTHENTICATED || fromThere >= MOST_UNAUTHENTICATED_PER_ADDRESS) {
      this.turnedAway += 1;
      return refuse(socket, 503, "too_many_connections", "too many connections wait for authentication");
    }
    return address;
  }

  /** A socket came in and waits. */
  enter(session: Session): void {
    this.#waiting.add(session);
    this.#perAddress.set(session.address, (this.#perAddress.get(session.address) ?? 0) + 1);
  }

  /** It has said who it is, or is gone. */
  leave(session: Session): void {
    if (!this.#waiting.delete(session)) return;
    const left = (this.#perAddress.get(session.address) ?? 1) - 1;
    if (left === 0) this.#perAddress.delete(session.address);
    else this.#perAddress.set(session.address, left);
  }
}

function destroy(this: Duplex): void {
  this.destroy();
}

/** The path that a request asks for; undefined for what is no address. Whatever was sent as the request's target comes here. */
function pathOf(target: string): string | undefined {
  return URL.canParse(target, "http://hub") ? new URL(target, "http://hub").pathname : undefined;
}

/** A browser names the page it comes from; a relay names none. */
function isSameOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  try {
    return new URL(origin).host === host;
  } catch {
    return false;
  }
}

function refuse(socket: Duplex, status: 400 | 403 | 404 | 421 | 503, code: string, error: string): undefined {
  const body = JSON.stringify({ error, code });
  const retry = status === 503 ? "Retry-After: 5\r\n" : "";
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${retry}Connection: close\r\n\r\n${body}`,
  );
  return undefined;
}
