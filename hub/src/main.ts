import { join } from "node:path";
import { GitHub } from "@nest/codehost";
import { LOG_BYTES, openPostgres, openSqlite } from "@nest/dispatch";
import { webAddress } from "@nest/http";
import {
  type Clock,
  createLog,
  type Environment,
  type Log,
  makePrivateFolder,
  NestError,
  onShutdownSignal,
  parseFlags,
  systemClock,
  systemRandom,
  UsageError,
} from "@nest/kit";
import type { FastifyInstance } from "fastify";
import { buildHub } from "./app.ts";
import { type HubConfig, readHubConfig } from "./config.ts";
import { makeHubId } from "./hub-id.ts";

const USAGE = `nest hub: keeps the queue, hands issues to relays under lease, verifies what comes back

usage: nest hub

It is configured by environment and nest.yaml:
  NEST_DATA_DIR           data directory (default /data)
  NEST_CONFIG             the hub's nest.yaml (default /etc/nest/nest.yaml)
  NEST_HUB_HOST           address to listen on (default 127.0.0.1)
  NEST_HUB_PORT           port to listen on (default 8080; 0 picks a free one)
  NEST_HUB_NAMESPACE      first name of this hub for its backups (default: its pod's namespace, else a random name)
  NEST_HUB_PUBLIC_URL     address that people and relays use (default http://HOST:PORT)
  NEST_HUB_HOSTS          further host names under which the hub may be asked, comma-separated
  NEST_HUB_TRUSTED_PROXIES
                          proxies that say for whom they ask: addresses or ranges, comma-separated (default loopback)
  NEST_DATABASE_URL       PostgreSQL that several hubs share (postgres://…); default: SQLite in the data directory
  NEST_HUB_ADMIN_TOKEN    bearer token that acts as hub admin (at least 32 characters)
  NEST_HUB_ADMINS         logins with the hub admin role, comma-separated
  NEST_HUB_OAUTH_CLIENT_ID, NEST_HUB_OAUTH_CLIENT_SECRET
                          sign-in by the code host; the id alone (or github.oauth_client_id): by device flow
  NEST_GITHUB_WEBHOOK_SECRET
                          what the code host signs its webhooks with (or github.webhook_secret)
  NEST_HUB_SECRET         heartbeat secret of the spokes (default: made at first boot)
  NEST_KUBECONFIG_DIR     where kubeconfigs of clusters.json are mounted (default /etc/nest/kubeconfigs)
  NEST_IMAGE_PREFIX       where the images of hosted nests come from (default localhost); or NEST_SPOKE_IMAGE, one image
  NEST_HUB_NESTS_AT_ONCE  hosted nests that are worked on at once on each cluster (default 2)
  NEST_GITHUB_API_URL     code-host API (default: the public one)
  NEST_GITHUB_URL         code-host web address

When it is ready it prints one line: nest-hub listening on http://HOST:PORT
SIGTERM or Ctrl-C sends relays away and exits; leases are kept, relays come back by themselves.
`;

/** A hub that was just killed may still occupy the port for a moment. */
const BIND_RETRY_MS = 50;
const BIND_TRIES = 100;

/**
 * Runs `nest hub` until it is told to stop.
 *
 * @throws UsageError for wrong arguments, environment or configuration; NestError when it cannot start.
 */
export async function runHub(args: readonly string[], environment: Environment): Promise<void> {
  const { help, words } = parseFlags(args, {}, USAGE);
  if (help) {
    process.stdout.write(USAGE);
    return;
  }
  if (words[0] !== undefined) throw new UsageError(`unknown argument ${words[0]}`, { usage: USAGE });
  const log = createLog({ program: "nest-hub", level: environment.NEST_LOG_LEVEL ?? "info" });
  const config = await readHubConfig(environment);
  await makePrivateFolder(config.dataDir);
  await makeHubId(config.dataDir, { environment, random: systemRandom() });
  await startHub(config, systemClock(), log);
}

async function startHub(config: HubConfig, clock: Clock, log: Log): Promise<void> {
  const database =
    config.databaseUrl === undefined
      ? openSqlite(join(config.dataDir, "hub.sqlite"), LOG_BYTES)
      : await openPostgres(config.databaseUrl);
  const random = systemRandom();
  const codeHost = new GitHub({ credentials: config.codeHost, apiUrl: config.apiUrl, clock, random });
  const hub = await buildHub({ config, database, codeHost, clock, random, log });
  const port = await listen(hub.http, config, clock);
  onShutdownSignal(clock, async (signal) => {
    log.info({ signal }, "stopping: relay connections are closed, leases are kept");
    await hub.stop();
  });
  await hub.start();
  process.stdout.write(`nest-hub listening on ${webAddress(config.host, port)}\n`);
  log.info({ repositories: config.repos, data: config.dataDir, database: database.kind }, "hub started");
}

async function listen(http: FastifyInstance, { host, port }: HubConfig, clock: Clock): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await http.listen({ host, port, backlog: 4096 });
      const address = http.server.address();
      return typeof address === "object" && address !== null ? address.port : port;
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === "EADDRINUSE" && attempt < BIND_TRIES) {
        await clock.sleep(BIND_RETRY_MS);
        continue;
      }
      throw new NestError("cannot_listen", `${host}:${port} cannot be listened on (${code})`, {
        hint:
          code === "EADDRINUSE"
            ? "another program uses the port; set NEST_HUB_PORT"
            : "check NEST_HUB_HOST and NEST_HUB_PORT",
        cause: thrown,
      });
    }
  }
}
