/**
 * The order of folders inside packages, lowest first: a folder may import those before it and never those after it. "." stands
 * for the files at a package's top; those named in `wiring` may import everything, and no folder imports them.
 */
export interface FolderOrder {
  readonly order: readonly string[];
  /** Files at the top that wire the folders to each other, and the package's door. */
  readonly wiring: readonly string[];
}

const door = "index.ts";

export const folderOrders: Readonly<Record<string, FolderOrder>> = {
  protocol: { order: [".", "http"], wiring: [door] },
  agents: { order: ["workspace", "cli", "secrets", "sandbox", "backends", "."], wiring: [door] },
  dispatch: {
    order: ["leases", "leases/testing", "queue", "contributors", "storage", "replicas"],
    wiring: [door, "open-storage.ts"],
  },
  provisioner: {
    order: [
      "manifests",
      ".",
      "records",
      "storage-export",
      "work",
      "operations",
      "drift",
      "migrate",
      "nests",
      "pool",
      "testing",
    ],
    wiring: [door],
  },
  "local-cluster": {
    order: [".", "api-server", "kubelet", "entrance"],
    wiring: [door, "local-cluster.ts", "missing-parts.ts"],
  },
  governor: {
    order: [
      "ledger/book",
      "ledger/storage",
      "ledger/exchange",
      "ledger",
      "ledger/command",
      "policy",
      "work",
      "runs",
      "agents",
      "runner",
      "feed",
      ".",
    ],
    wiring: [door],
  },
  hub: {
    order: [
      "access",
      "queue-settings",
      "relays",
      "relays/testing",
      "statistics",
      "alerts",
      "operations",
      "stream",
      "contributors",
      "fleet",
      "nests",
      "queue",
      "pages",
    ],
    wiring: [
      door,
      "main.ts",
      "app.ts",
      "build-alerts.ts",
      "build-dispatch.ts",
      "build-nests.ts",
      "build-provisioning.ts",
      "build-operations.ts",
      "build-relays.ts",
      "build-routes.ts",
      "build-statistics.ts",
      "config.ts",
      "hub-id.ts",
    ],
  },
  relay: {
    order: [
      "name",
      "settings",
      "secrets",
      "standing",
      "console",
      "outbox",
      "session",
      "session/testing",
      "task",
      "declare",
      ".",
      "commands",
      "testing",
    ],
    wiring: [door],
  },
  spoke: {
    order: [
      "config",
      "codehost",
      "access",
      "identity",
      "heartbeat",
      "backup",
      "ledger",
      "notifications",
      "agents",
      "health",
      "events",
      "terminal",
      "pages",
    ],
    wiring: [door, "main.ts", "start.ts", "app.ts", "build-nest.ts", "dashboard-deps.ts", "restart.ts"],
  },
  backup: {
    order: ["settings", "storage", "fleet", "deps", "database", "collect", "archives", "commands", ".", "testing"],
    wiring: [door],
  },
};
