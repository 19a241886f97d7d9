import type { ApiServer } from "../api-server/api-server.ts";

/** What a node needs of its API server. */
export type NodeServer = Pick<
  ApiServer,
  "authority" | "call" | "create" | "kubeconfig" | "port" | "serveContainers" | "tokenOf"
>;
