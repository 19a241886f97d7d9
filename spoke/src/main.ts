import { readFile } from "node:fs/promises";
import {
  createLog,
  type Environment,
  makeDataFolder,
  onShutdownSignal,
  parseFlags,
  systemClock,
  systemRandom,
  UsageError,
} from "@nest/kit";
import { readSettings } from "./config/settings.ts";
import { startSpoke } from "./start.ts";

const USAGE = `usage: nest spoke

Runs one nest: its dashboard, its terminal port and its heartbeats to the hub.

environment:
  NEST_CONFIG                 the nest's configuration (default /etc/nest/nest.yaml)
  NEST_DATA_DIR               where it keeps its state (default /data)
  NEST_SPOKE_HOST             address to listen on (default 127.0.0.1)
  NEST_SPOKE_DASHBOARD_PORT   default 3002; 0 picks a free port
  NEST_SPOKE_TERMINAL_PORT    default 3001; 0 picks a free port
  NEST_HUB_URL                the hub to report to (default: hub.url of the configuration)
  NEST_HEARTBEAT_KEY          this nest's own key for its heartbeats, or
  NEST_HUB_SECRET             the hub's heartbeat secret
`;

/**
 * `nest spoke`: runs until it is told to stop.
 *
 * @throws UsageError for wrong arguments, environment or configuration; the caller prints it and exits 2.
 */
export async function runSpoke(args: readonly string[], environment: Environment): Promise<void> {
  const { help, words } = parseFlags(args, {}, USAGE);
  if (help) {
    process.stdout.write(USAGE);
    return;
  }
  if (words[0] !== undefined) throw new UsageError(`unknown argument ${words[0]}`, { usage: USAGE });
  const settings = readSettings(environment);
  await makeDataFolder(settings.dataFolder, "NEST_DATA_DIR");
  const clock = systemClock();
  const log = createLog({ program: "nest-spoke" });
  const spoke = await startSpoke({ settings, clock, random: systemRandom(), log, version: await ownVersion() });
  onShutdownSignal(clock, async (signal) => {
    log.info({ signal }, "stopping");
    await spoke.close();
  });
  process.stdout.write(`nest-spoke listening on ${spoke.dashboardUrl}\n`);
  log.info({ dashboard: spoke.dashboardUrl, terminal: spoke.terminalUrl }, "ready");
}

async function ownVersion(): Promise<string> {
  const text = await readFile(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
