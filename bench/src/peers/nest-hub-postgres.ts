import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RealPostgres } from "@nest/test/real-postgres";
import { endProcess, type ServerProcess, startServer } from "../process/child.ts";
import { benchPostgres } from "./bench-postgres.ts";
import type { HubPeer } from "./hub-peer.ts";

const file = fileURLToPath(new URL("./nest-hub-process.ts", import.meta.url));
const REPLICAS = 2;

/** The hub of this repository as replicas that share one PostgreSQL; relays are spread over them. */
export const nestHubsOnPostgres: HubPeer = {
  name: `nest hub, PostgreSQL, ${REPLICAS} replicas`,
  async prepare(seed) {
    const folder = await mkdtemp(join(tmpdir(), "nest-bench-hubs-"));
    const seedFile = join(folder, "seed.json");
    await writeFile(seedFile, JSON.stringify(seed));
    const postgres = await RealPostgres.start(benchPostgres);
    const databaseUrl = await postgres.database();
    const more: ServerProcess[] = [];
    const startOne = async (nth: number, port: number): Promise<ServerProcess> => {
      const data = join(folder, `hub-${nth}`);
      await mkdir(data);
      const environment = { NEST_HUB_HOST: "127.0.0.1", NEST_HUB_PORT: String(port), NEST_DATABASE_URL: databaseUrl };
      return startServer({ file, args: [data, seedFile], environment });
    };
    return {
      async start(port) {
        const first = await startOne(0, port);
        for (let nth = 1; nth < REPLICAS; nth += 1) more.push(await startOne(nth, 0));
        return { ...first, morePlaces: more.map(({ place }) => place) };
      },
      async remove() {
        for (const { child } of more) await endProcess(child, "SIGKILL");
        await postgres[Symbol.asyncDispose]();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};
