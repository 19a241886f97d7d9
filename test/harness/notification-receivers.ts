import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export interface Posted {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Mailed {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  /** The whole mail, as it came. */
  readonly source: string;
}

/** What people have at the other end of notifications: web servers that take posts, and a mail server. Both keep all that comes. */
export class NotificationReceivers implements AsyncDisposable {
  readonly posted: Posted[] = [];
  readonly mailed: Mailed[] = [];
  /** How often somebody told the mail server a password. */
  logins = 0;
  readonly #http: Server;
  readonly #smtp: SMTPServer;

  private constructor(password: string, speaksTls: boolean) {
    this.#http = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      this.posted.push({
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      response.writeHead(request.url === "/refuses" ? 403 : 200).end("ok");
    });
    this.#smtp = new SMTPServer({
      // Where it speaks TLS it is with a certificate that nobody trusts, its own.
      ...(speaksTls ? {} : { disabledCommands: ["STARTTLS"] }),
      authOptional: true,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      onAuth: (auth, _session, done) => {
        this.logins += 1;
        if (auth.password === password) done(null, { user: auth.username });
        else done(new Error("no such user"));
      },
      onData: async (stream, session, done) => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        const { mailFrom, rcptTo } = session.envelope;
        this.mailed.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: typeof session.user === "string" ? session.user : undefined,
          source: Buffer.concat(chunks).toString(),
        });
        done();
      },
    });
  }

  /** `password`: of every user of the mail server. */
  static async open(password: string, { speaksTls = false } = {}): Promise<NotificationReceivers> {
    const receivers = new NotificationReceivers(password, speaksTls);
    await new Promise<void>((resolve) => receivers.#http.listen(0, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => receivers.#smtp.listen(0, "127.0.0.1", resolve));
    return receivers;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get mailPort(): number {
    return (this.#smtp.server.address() as AddressInfo).port;
  }

  /** What came to this path, oldest first. */
  at(path: string): readonly Posted[] {
    return this.posted.filter((one) => one.path === path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
    await new Promise<void>((resolve) => this.#smtp.close(() => resolve()));
  }
}
