import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Session } from "./session.ts";

/** Maximum number of unauthenticated connections from one address; below, in all. */
const MOST_UNAUTHENTICATED_PER_ADDRESS = 64;
const MOST_UNAUTHENTICATED = 1000;
const PATHS = new Set(["/api/contribute/ws", "/contribute"]);

export interface PreAuthLimiterDeps {
  /** Rate limiter for addresses that send invalid tokens. */
  readonly wrongTokens: { waitMs(address: string): number };
  /** Whether the Host header of a request names this hub. */
  readonly isKnownHost: (request: IncomingMessage) => boolean;
  /** The client's address: the peer's, or the one that a trusted proxy names. */
  readonly addressOf: (request: IncomingMessage) => string;
}

/** Limits unauthenticated connections: keeps the list of them, and rejects upgrades that may not connect. */
export class PreAuthLimiter {
  readonly #deps: PreAuthLimiterDeps;
  readonly #waiting = new Set<Session>();
  readonly #perAddress = new Map<string, number>();
  /** Number of connections rejected because there were too many, or because they sent too much. */
  turnedAway = 0;
  isClosed = false;

  constructor(deps: PreAuthLimiterDeps) {
    this.#deps = deps;
  }

  /** All unauthenticated connections. */
  waiting(): IterableIterator<Session> {
    return this.#waiting.values();
  }

  /** The client's address of an upgrade; undefined when the upgrade was rejected and answered. */
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
    if (this.#deps.wrongTokens.waitMs(address) > 0) {
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

  /** Adds a connection that has not authenticated yet. */
  enter(session: Session): void {
    this.#waiting.add(session);
    this.#perAddress.set(session.address, (this.#perAddress.get(session.address) ?? 0) + 1);
  }

  /** Removes a connection that has authenticated or is closed. */
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

/** The path of a request; undefined when its target, which may be any text, is no valid address. */
function pathOf(target: string): string | undefined {
  return URL.canParse(target, "http://hub") ? new URL(target, "http://hub").pathname : undefined;
}

/** Whether the Origin header, which browsers send and relays do not, names the same host. */
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
