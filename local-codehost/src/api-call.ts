import type { Caller } from "./access.ts";

/** One call of the API, its path and body taken apart. */
export interface ApiRequest {
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly accept: string;
  readonly caller: Caller;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of a JSON body. */
  readonly text?: string;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `/repos/:owner/:repo/issues/:number`; a last `*` takes the rest, slashes too. */
  readonly path: string;
  readonly answer: (request: ApiRequest) => Promise<ApiAnswer> | ApiAnswer;
}

/** An answer that ends the call where it is thrown. */
export class ApiRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** One page of a list, as `?per_page=&page=` ask, with the Link header that leads to the others. */
export function paged<T>(request: ApiRequest, all: readonly T[], show: (item: T) => unknown, key?: string): ApiAnswer {
  const perPage = Math.min(100, Math.max(1, Number(request.query.get("per_page")) || 30));
  const page = Math.max(1, Number(request.query.get("page")) || 1);
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const shown = all.slice((page - 1) * perPage, page * perPage).map(show);
  const to = (number: number, rel: string) => {
    const url = new URL(request.url);
    url.searchParams.set("page", String(number));
    return `<${url.href}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [to(page - 1, "prev"), to(1, "first")] : []),
    ...(page < last ? [to(page + 1, "next"), to(last, "last")] : []),
  ];
  return {
    status: 200,
    body: key === undefined ? shown : { total_count: all.length, [key]: shown },
    headers: links.length === 0 ? {} : { link: links.join(", ") },
  };
}

/** A text field of the body; `otherwise` when it is absent, 422 when it is something else. */
export function bodyText(request: ApiRequest, name: string, otherwise?: string): string {
  const value = request.body[name] ?? otherwise;
  if (typeof value === "string") return value;
  throw new ApiRefusal(422, `Validation Failed: ${name} is missing`);
}

/** A list of texts of the body, also given as `{name}` objects; undefined when absent. */
export function bodyNames(request: ApiRequest, name: string): string[] | undefined {
  const value = request.body[name];
  if (!Array.isArray(value)) return undefined;
  return value.map((entry: unknown) => String((entry as { name?: unknown })?.name ?? entry));
}
