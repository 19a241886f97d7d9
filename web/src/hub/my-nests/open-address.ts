import type { nests } from "@nest/protocol";

/** The way into a nest, by the hub's pass; undefined while nothing can answer there. */
export function openAddress({ id, subdomain, status }: nests.NestRow): string | undefined {
  if (subdomain === "" || ["provisioning", "paused", "available", "deleting"].includes(status)) return undefined;
  return `/api/saas/nests/${encodeURIComponent(id)}/open?to=/overview`;
}
