import { isIP } from "node:net";

/** Whether an address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1" || host.startsWith("::ffff:127.")) return true;
  return isIP(host) === 4 && host.startsWith("127.");
}
