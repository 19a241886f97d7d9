import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer } from "../process/child.ts";
import type { HubPeer } from "./hub-peer.ts";

const file = fileURLToPath(new URL("./naive-hub.ts", import.meta.url));

/** The naive hub: one transaction a message. */
export const naivePeer: HubPeer = {
  name: "naive hub",
  async prepare(seed) {
    const folder = await mkdtemp(join(tmpdir(), "nest-bench-naive-"));
    const seedFile = join(folder, "seed.json");
    await writeFile(seedFile, JSON.stringify(seed));
    return {
      start: (port) =>
        startServer({
          file,
          args: [join(folder, "naive.sqlite"), seedFile],
          environment: { NEST_HUB_PORT: String(port) },
        }),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  },
};
