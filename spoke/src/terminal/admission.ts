import type { IncomingMessage } from "node:http";
import { NestError } from "@nest/kit";
import { isOwnPage, mayUse } from "../access/admit.ts";
import type { Doorkeeper } from "../access/visitor.ts";

/** Where a viewer's socket is asked for. */
export const SOCKET_PATH = "/terminal/ws";
const ARGUMENT = /^nest-([A-Za-z0-9][A-Za-z0-9_-]{0,49})$/;

/** Somebody who may see an agent's terminal. */
export interface Viewer {
  readonly login: string;
  readonly agent: string;
  /** Owners type; everybody else who may look only looks. */
  readonly isReadOnly: boolean;
}

export interface AdmissionDeps {
  readonly keeper: Doorkeeper;
  readonly isKnownHost: (request: IncomingMessage) => boolean;
  readonly hasAgent: (name: string) => boolean;
}

/** The agent that `?arg=nest-<agent>` names; undefined for anything else. */
export function agentIn(argument: string | null | undefined): string | undefined {
  return ARGUMENT.exec(argument ?? "")?.[1];
}

/**
 * Who asks for a socket, and for which agent's terminal. Nobody without a role learns which agents there are.
 *
 * @throws NestError `bad_request`, `not_found`, `misdirected_request`, `foreign_origin`, `forbidden`.
 */
export function admitViewer(request: IncomingMessage, { keeper, isKnownHost, hasAgent }: AdmissionDeps): Viewer {
  const target = request.url ?? "";
  if (!target.startsWith("/") || !URL.canParse(target, "http://nest"))
    throw new NestError("bad_request", "the address could not be read");
  const { pathname, searchParams } = new URL(target, "http://nest");
  if (!isKnownHost(request))
    throw new NestError("misdirected_request", "this nest is not known by the name in the Host header");
  if (pathname !== SOCKET_PATH) throw new NestError("not_found", "there is no socket at this address");
  const visitor = keeper.judge(request);
  if (visitor.kind !== "known" || !mayUse("operator", visitor))
    throw new NestError("forbidden", "terminals are for people with the role read-write or more");
  if (!isOwnPage(request, visitor, keeper))
    throw new NestError("foreign_origin", "this socket must be opened by the nest's own pages");
  const named = searchParams.getAll("arg");
  const agent = agentIn(named[0]);
  if (agent === undefined || named.length > 1) throw new NestError("bad_request", "arg: expected nest-<agent>, once");
  if (!hasAgent(agent)) throw new NestError("not_found", "this nest has no such agent");
  return { login: visitor.login, agent, isReadOnly: visitor.role !== "owner" };
}
