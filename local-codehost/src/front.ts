import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Caller, identify, maySee, mayWrite } from "./access.ts";
import type { DeviceFlow } from "./device-flow.ts";
import { gitRequest, serveGit } from "./git-http.ts";
import { CONTENT_SECURITY_POLICY } from "./html.ts";
import { devicePage, showPage } from "./pages.ts";
import type { Platform } from "./platform.ts";
import { type ApiAnswer, ApiRefusal, type Router } from "./routing.ts";
import type { ScriptedFailures } from "./scripted-failures.ts";
import { fullName } from "./state.ts";

const LARGEST_BODY = 1024 * 1024;
/** Calls an hour, as the platform grants them to a person; nobody is held to it here. */
const RATE_LIMIT = 5000;

export interface FrontParts {
  readonly platform: Platform;
  readonly router: Router;
  readonly deviceFlow: DeviceFlow;
  readonly failures: ScriptedFailures;
}

/** Takes every request: git, sign-in, API and pages. */
export class Front {
  readonly #parts: FrontParts;
  #used = 0;
  #hour = 0;

  constructor(parts: FrontParts) {
    this.#parts = parts;
  }

  async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? "/", this.#parts.platform.url);
    const method = incoming.method ?? "GET";
    const failure = this.#parts.failures.take(method, url.pathname);
    if (failure !== undefined) {
      response.writeHead(failure.status, { "content-type": "application/json; charset=utf-8", ...failure.headers });
      response.end(failure.body ?? JSON.stringify({ message: `scripted failure ${failure.status}` }));
      return;
    }
    try {
      if (await this.#git(incoming, response, url)) return;
      if (await this.#signIn(incoming, response, url)) return;
      if (await this.#api(incoming, response, url)) return;
      if (await this.#page(incoming, response, url)) return;
      throw new ApiRefusal(404, "Not Found");
    } catch (thrown) {
      if (!(thrown instanceof ApiRefusal)) throw thrown;
      send(response, { status: thrown.status, body: { message: thrown.message, documentation_url: "" } });
    }
  }

  async #git(incoming: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    const git = gitRequest(url);
    if (git === undefined) return false;
    const { platform } = this.#parts;
    const repo = platform.store.repository(git.owner, git.name);
    const challenge = () => {
      response.writeHead(401, { "www-authenticate": 'Basic realm="local code host"' });
      response.end("authentication required\n");
      return true;
    };
    let caller: Caller;
    try {
      caller = identify(platform.store, incoming.headers.authorization);
    } catch {
      return challenge();
    }
    const visible = repo !== undefined && maySee(caller, repo);
    if (!visible || (git.write && caller.kind !== "user")) {
      if (caller.kind === "nobody") return challenge();
      throw new ApiRefusal(404, "Repository not found.");
    }
    if (git.write && !mayWrite(caller, repo, "contents")) throw new ApiRefusal(403, "Write access not granted.");
    const login = caller.kind === "user" ? caller.login : undefined;
    await serveGit(platform.git, fullName(repo), { git, url, login }, incoming, response);
    if (git.write && incoming.method === "POST") {
      platform.git.moved(fullName(repo));
      await platform.followBranches(repo);
      await platform.store.save();
    }
    return true;
  }

  async #signIn(incoming: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    const { deviceFlow, platform } = this.#parts;
    if (url.pathname === "/login/device" && incoming.method === "GET") {
      sendPage(response, devicePage("ask", url.searchParams.get("user_code") ?? ""));
      return true;
    }
    if (incoming.method !== "POST" || !url.pathname.startsWith("/login/")) return false;
    const fields = fieldsOf(await bodyOf(incoming), incoming.headers["content-type"] ?? "");
    if (url.pathname === "/login/device/code") send(response, { status: 200, body: deviceFlow.start(fields) });
    else if (url.pathname === "/login/oauth/access_token") {
      const body = deviceFlow.poll(fields);
      await platform.store.save();
      send(response, { status: 200, body });
    } else if (url.pathname === "/login/device") {
      const origin = incoming.headers.origin;
      if (origin !== undefined && origin !== platform.url) throw new ApiRefusal(403, "Cross-origin form");
      const login = fields.get("login") ?? "";
      const deny = fields.get("decision") === "deny";
      if (!deny && !/^[A-Za-z0-9-]{1,39}$/.test(login)) throw new ApiRefusal(422, "Validation Failed: login");
      const known = deviceFlow.decide(fields.get("user_code") ?? "", deny ? "deny" : { login });
      sendPage(response, devicePage(known ? (deny ? "denied" : "approved") : "unknown code"));
    } else return false;
    return true;
  }

  async #api(incoming: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    const { platform, router } = this.#parts;
    const method = incoming.method ?? "GET";
    if (url.pathname === "/rate_limit") {
      send(response, { status: 200, body: { rate: this.#rate(0) } });
      return true;
    }
    const found = router.find(method, url.pathname);
    if (found === undefined) return false;
    const caller = identify(platform.store, incoming.headers.authorization);
    const body = jsonOf(await bodyOf(incoming));
    const accept = incoming.headers.accept ?? "";
    const request = { method, url, params: found.params, query: url.searchParams, body, accept, caller };
    const answer = await found.route.answer(request);
    if (method !== "GET") await platform.store.save();
    this.#sendApi(incoming, response, answer);
    return true;
  }

  /** With an ETag, and 304 for whoever has this answer already: that one is not counted. */
  #sendApi(incoming: IncomingMessage, response: ServerResponse, answer: ApiAnswer): void {
    const text = answer.text ?? (answer.body === undefined ? "" : JSON.stringify(answer.body));
    const etag = `W/"${createHash("sha256").update(text).digest("hex")}"`;
    const kept = incoming.method === "GET" && answer.status === 200 && incoming.headers["if-none-match"] === etag;
    const rate = this.#rate(kept ? 0 : 1);
    const headers = {
      ...answer.headers,
      ...(answer.status === 200 ? { etag } : {}),
      "x-ratelimit-limit": String(rate.limit),
      "x-ratelimit-remaining": String(rate.remaining),
      "x-ratelimit-reset": String(rate.reset),
    };
    if (kept) response.writeHead(304, headers).end();
    else sendText(response, answer.status, text, headers);
  }

  #rate(cost: number): { limit: number; remaining: number; reset: number } {
    const hour = Math.floor(this.#parts.platform.now() / 3_600_000);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#used = 0;
    }
    this.#used += cost;
    return { limit: RATE_LIMIT, remaining: Math.max(1, RATE_LIMIT - this.#used), reset: (hour + 1) * 3600 };
  }

  async #page(incoming: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    if (incoming.method !== "GET" && incoming.method !== "HEAD") return false;
    const { platform } = this.#parts;
    const shown = await showPage(platform, identify(platform.store, incoming.headers.authorization), url);
    if (shown === undefined) return false;
    sendPage(response, shown);
    return true;
  }
}

function send(response: ServerResponse, answer: ApiAnswer): void {
  sendText(response, answer.status, answer.body === undefined ? "" : JSON.stringify(answer.body), answer.headers ?? {});
}

function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (text === "") {
    response.writeHead(status, headers).end();
    return;
  }
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": length,
    ...headers,
  });
  response.end(text);
}

function sendPage(response: ServerResponse, text: string): void {
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    // Not "no-referrer": with it a browser would send its own forms here from the origin "null".
    "referrer-policy": "same-origin",
  });
  response.end(text);
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LARGEST_BODY) throw new ApiRefusal(413, "Payload too large");
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString();
}

function jsonOf(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    if (Array.isArray(value)) return { labels: value };
  } catch {
    // Told below.
  }
  throw new ApiRefusal(400, "Problems parsing JSON");
}

function fieldsOf(text: string, type: string): URLSearchParams {
  if (!type.includes("json")) return new URLSearchParams(text);
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(jsonOf(text))) fields.set(name, String(value));
  return fields;
}
