import type { IncomingMessage } from "node:http";
import { KnownHosts, NestError } from "@nest/kit";
import type { NestYaml } from "../config/nest-yaml.ts";
import { isNamedProxy, type VisitorRules } from "./visitor.ts";

/**
 * Whether a request asks for this nest by a name that it knows (contract §8, Wire 17): a page of another site whose name was made
 * to point here is none. A proxy that was named, or that proves itself, answers for the names that it lets through.
 */
export function knownHost(
  listensOn: string,
  { dashboard, hub }: NestYaml,
  rules: VisitorRules,
): (request: IncomingMessage) => boolean {
  const addresses = [dashboard.public_url, hub.dashboard_url].filter((url) => url != null && URL.canParse(url));
  const known = new KnownHosts([listensOn, ...dashboard.hosts, ...addresses.map((url) => new URL(url ?? "").host)]);
  return ({ headers, socket, rawHeaders }) =>
    known.has(headers.host) || isNamedProxy({ peer: socket.remoteAddress ?? "", rawHeaders }, rules);
}

/** What is thrown at a request by an unknown name: 421. */
export function misdirected(): NestError {
  return new NestError("misdirected_request", "this nest is not known by the name in the Host header", {
    hint: "set dashboard.public_url to the address that people use, or name more in dashboard.hosts",
  });
}
