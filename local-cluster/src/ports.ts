import { createServer } from "node:net";

/** Where the parts of a local cluster listen on loopback. */
export interface Ports {
  readonly etcd: number;
  readonly peer: number;
  readonly server: number;
  readonly entrance: number;
  readonly hub: number;
}

/** Of the first cluster on a machine. */
const USUAL = { entrance: 8088, hub: 8080 };

/** The ports of an earlier run where they are still free, else others. */
export async function portsLike(before: Partial<Ports>): Promise<Ports> {
  const [etcd, peer, server] = [await free(before.etcd), await free(before.peer), await free(before.server)];
  const [entrance, hub] = [await free(before.entrance ?? USUAL.entrance), await free(before.hub ?? USUAL.hub)];
  return { etcd, peer, server, entrance, hub };
}

/** This port if nothing listens there, else any other. */
async function free(wanted = 0): Promise<number> {
  return (await listened(wanted)) ?? (await listened(0)) ?? 0;
}

function listened(port: number): Promise<number | undefined> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(undefined));
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" ? address?.port : undefined));
    });
  });
}
