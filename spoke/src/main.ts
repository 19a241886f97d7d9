import { readFile } from "node:fs/promises";
import {
  createLog,
  type Environment,
  errorLines,
  exitCodeOf,
  makeDataFolder,
  onShutdownSignal,
  parseFlags,
  systemClock,
  systemRandom,
  UsageError,
} from "@nest/kit";
import { readSettings, type SpokeSettings } from "./config/settings.ts";
import { RestartableSpoke, type Start } from "./restart.ts";
import { type RunningSpoke, startSpoke } from "./start.ts";

const USAGE = `usage: nest spoke

Runs one nest: its dashboard, its terminal port and its heartbeats to the hub.

environment:
  NEST_CONFIG                 the nest's configuration (default /etc/nest/nest.yaml)
  NEST_SEED                   copied to NEST_CONFIG where that is absent (default /etc/nest-seed/nest.yaml)
  NEST_DATA_DIR               where it keeps its state (default /data)
  NEST_SPOKE_HOST             address to listen on (default 127.0.0.1)
  NEST_SPOKE_DASHBOARD_PORT   default 3002; 0 picks a free port
  NEST_SPOKE_TERMINAL_PORT    default 3001; 0 picks a free port
  NEST_ID                     this nest's id, where its hub made it (default: kept in the data folder)
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
  const version = await ownVersion();
  const start: Start = async (restart, before) => {
    const at = before === undefined ? settings : onSamePorts(settings, before);
    return startSpoke({ settings: at, clock, random: systemRandom(), log, version, restart });
  };
  const spoke = await RestartableSpoke.start(start, log, (thrown) => {
    for (const line of errorLines("nest spoke", thrown)) process.stderr.write(`${line}\n`);
    process.exit(exitCodeOf(thrown));
  });
  onShutdownSignal(clock, async (signal) => {
    log.info({ signal }, "stopping");
    await spoke.close();
  });
  const { dashboardUrl, terminalUrl } = await spoke.running;
  process.stdout.write(`nest-spoke listening on ${dashboardUrl}\n`);
  log.info({ dashboard: dashboardUrl, terminal: terminalUrl }, "ready");
}

/** A port that was picked freely stays the same over a restart: people and proxies have its address by then. */
function onSamePorts(settings: SpokeSettings, { dashboardUrl, terminalUrl }: RunningSpoke): SpokeSettings {
  const picked = (asked: number | undefined, url: string) => (asked === 0 ? Number(new URL(url).port) : asked);
  return {
    ...settings,
    dashboardPort: picked(settings.dashboardPort, dashboardUrl),
    terminalPort: picked(settings.terminalPort, terminalUrl) ?? settings.terminalPort,
  };
}

async function ownVersion(): Promise<string> {
  const text = await readFile(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
