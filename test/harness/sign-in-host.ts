import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestHub } from "./hub.ts";

export interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** A fake of a code host's sign-in that approves everybody at once, as the login that the test chooses. */
export class SignInHost implements AsyncDisposable {
  readonly #server: Server;
  #login = "";

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<SignInHost> {
    const server = createServer();
    const host = new SignInHost(server);
    server.on("request", (request, response) => {
      request.resume();
      const code = { device_code: "d", user_code: "ABCD-1234", verification_uri: `${host.url}/device`, interval: 1 };
      const answer =
        request.url === "/login/device/code"
          ? { ...code, expires_in: 900 }
          : { access_token: `token-of-${host.#login}` };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Signs somebody in by device flow; answers with the cookies that a browser would have then. */
  async signIn(hub: TestHub, login: string): Promise<Cookie[]> {
    this.#login = login;
    hub.codeHost.users.set(`token-of-${login}`, login);
    const begun = (await hub.call("POST", "/api/auth/device/start")).body as { login_id: string };
    const done = await hub.call("POST", "/api/auth/device/poll", { login_id: begun.login_id });
    return done.headers.getSetCookie().map((cookie) => {
      const [pair = ""] = cookie.split(";");
      const at = pair.indexOf("=");
      return { name: pair.slice(0, at), value: pair.slice(at + 1) };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
