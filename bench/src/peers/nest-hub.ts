import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ADMIN_TOKEN } from "../load/watcher.ts";
import { startServer } from "../process/child.ts";
import type { HubPeer } from "./hub-peer.ts";

const file = fileURLToPath(new URL("./nest-hub-process.ts", import.meta.url));

/** The hub of this repository, whole, on a temporary data folder. */
export const nestHubPeer: HubPeer = {
  name: "nest hub",
  async prepare(seed) {
    const folder = await mkdtemp(join(tmpdir(), "nest-bench-hub-"));
    const seedFile = join(folder, "seed.json");
    await writeFile(seedFile, JSON.stringify(seed));
    return {
      start: (port) =>
        startServer({
          file,
          args: [folder, seedFile],
          environment: {
            NEST_HUB_HOST: "127.0.0.1",
            NEST_HUB_PORT: String(port),
            NEST_HUB_ADMIN_TOKEN: ADMIN_TOKEN,
          },
        }),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  },
};
