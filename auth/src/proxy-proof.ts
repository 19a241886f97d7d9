import { createHmac } from "node:crypto";
import type { Secret } from "@nest/kit";
import { sameSecret } from "./secrets.ts";

/** How long a proof counts: the ingress asks anew for each request; the rest is for clocks that differ. */
const PROOF_SECONDS = 300;

/** Whom a proxy vouches for; both undefined for nobody. */
export interface VouchedFor {
  readonly user: string | undefined;
  readonly role: string | undefined;
}

/**
 * What the hub's ingress sends a nest as `X-Nest-Proxy-Auth` with one request: it proves that the hub named this user and this
 * role, for five minutes. Whoever sees it cannot become anybody else with it, nor reach another nest.
 */
export function proxyProof(dashboardToken: Secret, whom: VouchedFor, now: number): string {
  const until = Math.floor(now / 1000) + PROOF_SECONDS;
  return `${until}.${macOf(dashboardToken, whom, until)}`;
}

/**
 * Whether a value of `X-Nest-Proxy-Auth` proves that the hub's proxy sends these headers: a proof for this user and role, or the
 * nest's dashboard token itself, which a proxy of one's own may send.
 */
export function isProxyProof(given: string, dashboardToken: Secret, whom: VouchedFor, now: number): boolean {
  if (sameSecret(given, dashboardToken.reveal())) return true;
  const [until = "", mac = "", ...more] = given.split(".");
  if (more.length > 0 || !/^\d{1,12}$/.test(until) || Number(until) * 1000 < now) return false;
  return sameSecret(mac, macOf(dashboardToken, whom, Number(until)));
}

function macOf(dashboardToken: Secret, { user = "", role = "" }: VouchedFor, until: number): string {
  const said = JSON.stringify(["nest proxy proof v1", user, role, until]);
  return createHmac("sha256", dashboardToken.reveal()).update(said).digest("hex");
}
