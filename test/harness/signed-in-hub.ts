import { Secret } from "@nest/kit";
import type { apiTokens, TokenScope } from "@nest/protocol";
import { TestHub } from "./hub.ts";
import { SignInHost } from "./sign-in-host.ts";

/** A hub at which people can sign in; `boss` is its admin and is signed in. */
export class SignedInHub implements AsyncDisposable {
  readonly hub: TestHub;
  readonly #signIn: SignInHost;
  #boss = "";

  private constructor(hub: TestHub, signIn: SignInHost) {
    this.hub = hub;
    this.#signIn = signIn;
  }

  static async start(options: Parameters<typeof TestHub.start>[0] = {}): Promise<SignedInHub> {
    const signIn = await SignInHost.start();
    const oauth = { clientId: "client", clientSecret: new Secret("client-secret") };
    const config = { webUrl: signIn.url, oauth, admins: ["boss"], ...options.config };
    const scene = new SignedInHub(await TestHub.start({ ...options, config }), signIn);
    scene.#boss = await scene.cookieOf("boss");
    return scene;
  }

  /** The Cookie header of somebody who signs in now. */
  async cookieOf(login: string): Promise<string> {
    return (await this.#signIn.signIn(this.hub, login)).map(({ name, value }) => `${name}=${value}`).join("; ");
  }

  /** A request of the signed-in admin, from the hub's own pages. */
  boss(method: string, path: string, body?: unknown) {
    return this.hub.call(method, path, body, { cookie: this.#boss, origin: this.hub.url });
  }

  /** Makes an API token. */
  async token(scope: TokenScope, more: object = {}): Promise<{ token: string; about: apiTokens.ApiToken }> {
    const made = await this.boss("POST", "/api/tokens", { name: `${scope} token`, scope, ...more });
    if (made.status !== 200) throw new Error(`no token was made: ${JSON.stringify(made.body)}`);
    return made.body as { token: string; about: apiTokens.ApiToken };
  }

  /** A request with a bearer token. */
  with(token: string, method: string, path: string, body?: unknown) {
    return this.hub.call(method, path, body, { authorization: `Bearer ${token}` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]();
    await this.#signIn[Symbol.asyncDispose]();
  }
}
