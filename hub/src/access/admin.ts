import { createHash, timingSafeEqual } from "node:crypto";
import { NestError, type Secret } from "@nest/kit";
import type { FastifyRequest } from "fastify";

/** Compares two secrets in constant time, whatever their lengths. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The token of an `Authorization: Bearer …` header; undefined when there is none. */
export function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(request.headers.authorization ?? "")?.[1];
}

/**
 * The actor of an admin request: whoever has the hub's admin token.
 *
 * @throws NestError `unauthenticated` without an identity, `forbidden` with one that is no admin's.
 */
export function requireAdmin(request: FastifyRequest, adminToken: Secret | undefined): string {
  const bearer = bearerOf(request);
  if (bearer === undefined) {
    throw new NestError("unauthenticated", "this needs the hub admin role", {
      hint: "send Authorization: Bearer with the value of NEST_HUB_ADMIN_TOKEN",
    });
  }
  if (adminToken === undefined || !sameSecret(bearer, adminToken.reveal())) {
    throw new NestError("forbidden", "this identity does not have the hub admin role");
  }
  return "admin-token";
}
