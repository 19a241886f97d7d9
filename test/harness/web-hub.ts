import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Secret } from "@nest/kit";
import { TestHub } from "./hub.ts";
import { type Cookie, SignInHost } from "./sign-in-host.ts";

const TICK_MS = 50;

/** A hub in this process with the browser app, a signed-in admin, and a virtual clock that advances by itself. */
export class WebHub implements AsyncDisposable {
  readonly hub: TestHub;
  readonly admin: readonly Cookie[];
  readonly #signIn: SignInHost;
  readonly #clock: NodeJS.Timeout;

  private constructor(hub: TestHub, signIn: SignInHost, admin: readonly Cookie[]) {
    this.hub = hub;
    this.admin = admin;
    this.#signIn = signIn;
    let ticking = Promise.resolve();
    this.#clock = setInterval(() => {
      ticking = ticking.then(() => hub.clock.jump(TICK_MS));
    }, TICK_MS);
  }

  static async start(options: Parameters<typeof TestHub.start>[0] = {}): Promise<WebHub> {
    buildApp();
    const signIn = await SignInHost.start();
    const oauth = { clientId: "client", clientSecret: new Secret("client-secret") };
    const hub = await TestHub.start({
      ...options,
      config: { webUrl: signIn.url, oauth, admins: ["boss"], ...options.config },
    });
    return new WebHub(hub, signIn, await signIn.signIn(hub, "boss"));
  }

  /** The cookies of somebody who has signed in and is no admin. */
  visitor(login: string): Promise<Cookie[]> {
    return this.#signIn.signIn(this.hub, login);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#clock);
    await this.hub[Symbol.asyncDispose]();
    await this.#signIn[Symbol.asyncDispose]();
  }
}

/** Builds the browser app, unless it was built from these sources already. */
export function buildApp(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, "../../scripts/build-web.mjs")]);
}
