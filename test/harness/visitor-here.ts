import { request } from "node:http";
import { expect } from "vitest";
import { WebSocket } from "ws";
import type { SpokeHere } from "./spoke-here.ts";

/** An answer with its JSON, where it is some. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form.
  readonly body: any;
}

type MoreHeaders = Readonly<Record<string, string>>;

/** One browser in front of a nest: it keeps cookies, and says from which page a request comes. */
export class VisitorHere {
  readonly url: string;
  readonly #cookies = new Map<string, string>();

  constructor(url: string) {
    this.url = url;
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies;
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  get #cookie(): MoreHeaders {
    const pairs = [...this.#cookies].map(([name, value]) => `${name}=${value}`);
    return pairs.length === 0 ? {} : { cookie: pairs.join("; ") };
  }

  /** Makes a request as a page of this nest would; `headers` come on top, an empty one takes a header away. */
  async ask(method: string, path: string, body?: unknown, headers: MoreHeaders = {}): Promise<Answer> {
    const own = method === "GET" ? {} : { origin: this.url };
    const all = {
      ...this.#cookie,
      ...own,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
    const answer = await raw(this.url + path, method, sent, body === undefined ? "" : JSON.stringify(body));
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const at = pair.indexOf("=");
      if (/max-age=0/i.test(cookie)) this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  }

  /** Begins a sign-in and answers with the code to type in. */
  async begin(): Promise<string> {
    const { status, body } = await this.ask("POST", "/api/gh-user-auth/start");
    expect([status, body.error]).toEqual([200, undefined]);
    return body.user_code;
  }

  /** Polls until the sign-in is over, and answers with the last word. */
  async finish(): Promise<Answer["body"]> {
    const lastAt = Date.now() + 30_000;
    for (;;) {
      const { body } = await this.ask("POST", "/api/gh-user-auth/poll");
      if (!["pending", "slow_down"].includes(body.status) || Date.now() > lastAt) return body;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }

  /** Signs in as somebody who types the code in at the code host. */
  async signIn(spoke: SpokeHere, login: string): Promise<Answer["body"]> {
    expect(spoke.codeHost.decideDeviceLogin(await this.begin(), { login })).toBe(true);
    return this.finish();
  }

  /** Opens a socket to a terminal, with the headers that a page of this nest would send. */
  terminal(agent: string, headers: MoreHeaders = {}): TerminalHere {
    const all: Record<string, string> = { ...this.#cookie, origin: this.url, ...headers };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
    return new TerminalHere(`${this.url.replace("http", "ws")}/terminal/ws?arg=${agent}`, sent);
  }
}

/** A viewer's end of a terminal. */
export class TerminalHere {
  readonly socket: WebSocket;
  /** `open`, or the status of the refusal. */
  readonly outcome: Promise<"open" | number>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  output = "";
  bytes = 0;
  preferences = "";
  title = "";

  constructor(address: string, headers: MoreHeaders) {
    this.socket = new WebSocket(address, "tty", { headers });
    this.outcome = new Promise((resolve) => {
      this.socket.on("open", () => resolve("open"));
      this.socket.on("unexpected-response", (asked, response) => {
        asked.destroy();
        resolve(response.statusCode ?? 0);
      });
    });
    this.closed = new Promise((resolve) =>
      this.socket.on("close", (code, reason) => resolve({ code, reason: String(reason) })),
    );
    this.socket.on("error", () => undefined);
    this.socket.on("message", (data) => this.#read(data as Buffer));
  }

  type(text: string): void {
    this.socket.send(`0${text}`);
  }

  resize(columns: number, rows: number): void {
    this.socket.send(`1${JSON.stringify({ columns, rows })}`);
  }

  /** Waits until the terminal has shown something. */
  async shows(pattern: RegExp): Promise<void> {
    await expect.poll(() => this.output, { timeout: 45_000 }).toMatch(pattern);
  }

  #read(data: Buffer): void {
    const rest = data.subarray(1);
    const kind = data.toString("latin1", 0, 1);
    if (kind === "0") {
      this.bytes += rest.length;
      this.output = (this.output + rest.toString("utf8")).slice(-500_000);
    } else if (kind === "1") this.title = rest.toString();
    else if (kind === "2") this.preferences = rest.toString();
  }
}

/** A request with exactly these headers: `fetch` sets some of its own. */
export function raw(url: string, method: string, headers: MoreHeaders, body = ""): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers: { ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () => {
        const all = new Headers();
        for (const [name, values] of Object.entries(response.headersDistinct))
          for (const value of values ?? []) all.append(name, value);
        const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
        resolve({ status: response.statusCode ?? 0, headers: all, text, body: isJson ? JSON.parse(text) : text });
      });
    });
    asked.on("error", reject).end(body);
  });
}
