import { isIP } from "node:net";

/**
 * The host names that a server answers to. This stops DNS rebinding: another site can point its own name
 * at this server, but the browser still sends that name as `Host`, and the request is refused.
 *
 * Addresses (`127.0.0.1`, `[::1]`) and `localhost` are always accepted: no site can own such a name.
 */
export class KnownHosts {
  readonly #names = new Set<string>();
  readonly #suffixes: string[] = [];

  /** `names`: host names, with or without a port, web addresses, or `*.example.org` for every name below that one. */
  constructor(names: readonly string[]) {
    for (const name of names) {
      const host = name.includes("://") ? new URL(name).hostname : (hostNameOf(name.replace(/^\*\./, "")) ?? "");
      if (host === "") continue;
      if (name.startsWith("*.")) this.#suffixes.push(`.${host}`);
      else this.#names.add(host);
    }
  }

  /** Whether a `Host` header names this server. Without the header the request comes from no browser. */
  has(header: string | undefined): boolean {
    if (header === undefined) return true;
    const name = hostNameOf(header);
    if (name === undefined) return false;
    if (name === "localhost" || isIP(name.replace(/^\[|\]$/g, "")) !== 0) return true;
    return this.#names.has(name) || this.#suffixes.some((suffix) => name.endsWith(suffix));
  }
}

/** Whether a text can be given to `KnownHosts` as a name. */
export function isHostPattern(text: string): boolean {
  return hostNameOf(text.replace(/^\*\./, "")) !== undefined;
}

/** The name in `name:port`, lower case, without the root's dot; undefined when it is not of that form. */
function hostNameOf(header: string): string | undefined {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{1,253})(?::\d{1,5})?$/.exec(header);
  return match?.[1]?.toLowerCase().replace(/\.$/, "");
}
