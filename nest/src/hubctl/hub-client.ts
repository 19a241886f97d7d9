import { NestError, plainLine } from "@nest/kit";
import { ErrorBody, type Route } from "@nest/protocol";
import type { z } from "zod";
import type { Connection } from "./connection.ts";

/** What goes with a request. */
export interface Given<Body, Query> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: Body;
  readonly ifMatch?: string;
}

export interface Answer<Reply> {
  readonly value: Reply;
  readonly etag: string | undefined;
}

const PATIENCE_MS = 60_000;

/** Calls the hub's routes with a token. What it answers is checked against the route's schema. */
export class HubClient {
  readonly #connection: Connection;
  readonly #ask: typeof fetch;

  constructor(connection: Connection, ask: typeof fetch) {
    this.#connection = connection;
    this.#ask = ask;
  }

  /**
   * Calls one route.
   *
   * @throws NestError with the hub's code and words; `hub_unreachable` where it does not answer, `hub_other_version` where the
   * answer is not what this release expects.
   */
  async call<Body extends z.ZodType, Query extends z.ZodType, Reply extends z.ZodType>(
    route: Route<Body, Query, Reply>,
    given: Given<z.input<Body>, z.input<Query>> = {},
  ): Promise<Answer<z.infer<Reply>>> {
    const response = await this.#send(route, given);
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw refusalOf(response.status, answer);
    const checked = route.reply.safeParse(answer);
    if (!checked.success)
      throw new NestError(
        "hub_other_version",
        `the hub answered ${route.path} in a way that this release does not know`,
        {
          hint: "use the release of nest that the hub runs",
        },
      );
    return { value: checked.data, etag: response.headers.get("etag") ?? undefined };
  }

  async #send(route: Route, { params = {}, query, body, ifMatch }: Given<unknown, unknown>): Promise<Response> {
    const { hub, token } = this.#connection;
    const path = route.path.replace(/:([a-z_]+)/gi, (_, name: string) => encodeURIComponent(params[name] ?? ""));
    const asked = Object.entries((query ?? {}) as object).filter(([, value]) => value !== undefined && value !== "");
    const search = new URLSearchParams(Object.fromEntries(asked.map(([name, value]) => [name, String(value)])));
    try {
      return await this.#ask(`${hub}${path}${asked.length === 0 ? "" : `?${search}`}`, {
        method: route.method,
        headers: {
          authorization: `Bearer ${token.reveal()}`,
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect would carry the token to another address.
        redirect: "error",
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    } catch (thrown) {
      throw new NestError("hub_unreachable", `the hub at ${hub} does not answer`, {
        hint: "check NEST_HUB_URL and the network",
        cause: thrown,
      });
    }
  }
}

function refusalOf(status: number, answer: unknown): NestError {
  const { data } = ErrorBody.safeParse(answer);
  if (data === undefined) return new NestError("hub_unreachable", `the hub answered ${status}, and not as a hub does`);
  const hint = data.hint === undefined ? {} : { hint: plainLine(data.hint) };
  return new NestError(plainLine(data.code), plainLine(data.error), hint);
}
