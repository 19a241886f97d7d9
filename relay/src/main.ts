import { homedir } from "node:os";
import { join } from "node:path";
import {
  agentEnvironment,
  apartFrom,
  type Confinement,
  clearCredentials,
  clearWorkspaces,
  confinementOf,
  confinementSentence,
  KnownSecrets,
  RunJournal,
  secretsIn,
  startHeadless,
  withDefaults,
} from "@nest/agents";
import {
  type Clock,
  type Environment,
  errorLines,
  exitCodeOf,
  onShutdownSignal,
  parseFlags,
  readTextIfPresent,
  systemClock,
  systemRandom,
  UsageError,
} from "@nest/kit";
import { scaleDurations, scaleTransport } from "@nest/protocol";
import { Console, type ConsoleOut } from "./console/console.ts";
import { StatusFile } from "./console/status-file.ts";
import { probeFacts } from "./declare/declare.ts";
import { lookAt } from "./look.ts";
import { type SessionName, takeSessionName } from "./name/session-name.ts";
import { Relay } from "./relay.ts";
import { CARRIED_LOGIN, withCarriedLogin } from "./secrets/carried-login.ts";
import { ownLogin } from "./secrets/own-secrets.ts";
import { withoutSecrets } from "./secrets/start-secrets.ts";
import { AcceptedLogins } from "./session/accepted-logins.ts";
import { type RelayConfig, readConfig, stateFolderIn } from "./settings/config.ts";
import { exposureOf, parseContributorEnv } from "./settings/contributor-env.ts";
import { withOwnPlaces } from "./settings/own-place.ts";
import { USAGE } from "./settings/usage.ts";
import { openTerminal } from "./task/terminal.ts";

export interface RunOptions {
  /** Stops the relay; without it, SIGTERM and SIGINT do. */
  readonly stop?: AbortSignal;
  readonly out?: ConsoleOut;
  readonly error?: ConsoleOut;
}

/**
 * The whole of `nest relay`. Resolves with the exit code: 0 stopped, 1 refused for good by every hub, 2 bad configuration.
 */
export async function runRelay(
  args: readonly string[],
  environment: Environment,
  options: RunOptions = {},
): Promise<number> {
  const error = options.error ?? process.stderr;
  try {
    const { flags, words, help } = parseFlags(args, { json: "switch" }, USAGE);
    if (help) {
      (options.out ?? process.stdout).write(USAGE);
      return 0;
    }
    if (words[0] === "status" && words[1] === undefined) {
      // What only this needs is not in the memory of a relay that works.
      const { relayStatus } = await import("./standing/status.ts");
      const { now } = systemClock();
      return await relayStatus(environment, flags.json === true, { fetch, now, out: options.out ?? process.stdout });
    }
    if (words[0] !== undefined) throw new UsageError(`unknown argument ${words[0]}`, { usage: USAGE });
    const { [CARRIED_LOGIN]: login, ...own } = environment;
    const place = { home: own.HOME || homedir(), stateFolder: stateFolderIn(own), clock: systemClock() };
    return await withCarriedLogin(login, place, () => relayOn(own, error, options.stop));
  } catch (thrown) {
    for (const line of errorLines("nest relay", thrown)) error.write(`${line}\n`);
    return exitCodeOf(thrown);
  }
}

async function relayOn(environment: Environment, error: ConsoleOut, stopFromOutside?: AbortSignal): Promise<number> {
  const file = join(environment.HOME || homedir(), ".config/nest/contributor.env");
  const saved = parseContributorEnv((await readTextIfPresent(file)) ?? "", file);
  const configured = readConfig(environment, saved);
  const everything = await withDefaults(configured.backend, { ...saved, ...environment });
  const tokens = configured.hubs.map(({ token }) => token);
  const login = await ownLogin(everything);
  const secrets = new KnownSecrets([...secretsIn(everything), ...tokens, ...(login?.tokens ?? [])]);
  const [clock, random, console] = [systemClock(), systemRandom(), new Console(error, secrets)];
  const exposure = await exposureOf(file);
  if (exposure !== undefined) console.say(`warning: ${exposure}`);
  const session = await takeSessionName(configured.stateFolder, configured.session, { clock, random });
  const config = await withOwnPlaces(besideOthers(configured, session), (line) => console.say(line));
  if (session.place > 1) console.say(`another relay runs on ${config.stateFolder}: this one is ${session.name}`);
  const numbers = scaleDurations(config.clockScale);
  const stop = stopFromOutside ?? stopOnSignal(clock);

  if (config.backend.caution !== undefined) console.say(`warning: ${config.backend.caution}`);
  const journal = new RunJournal(config.stateFolder);
  await clearLeftovers(config, journal, { clock, console });

  const confinement = await confinementOf(config, environment.PATH);
  const isContained = config.inContainer || confinement.runs === "sandboxed";
  sayConfinement(config, confinement, isContained, console);
  const { backend, model, effort, role, passToAgent: alsoPass } = config;
  const ownEnvironment = agentEnvironment(everything, { backend, isContained, alsoPass, model });
  const terminal =
    config.mode === "interactive"
      ? await openTerminal(config, {
          environment: withoutSecrets(ownEnvironment),
          clock,
          journal,
          mark: random.hex(12),
          isTmuxElsewhere: Boolean(environment.TMUX_TMPDIR),
        })
      : undefined;
  const look = () => lookAt(config, everything, terminal);
  const found = await look();
  const probe = { environment: ownEnvironment, clock, mark: random.hex(12), ...apartFrom(confinement) };
  const facts = await probeFacts(config, { environment, binary: found.binary, probe });
  const statusFile =
    config.mode === "headless"
      ? new StatusFile(config.statusFile, {
          backend: config.backend.name,
          clock,
          onTrouble: (thrown) => console.log.warn({ why: String(thrown) }, "the status file cannot be written"),
        })
      : undefined;
  statusFile?.start(numbers.heartbeatMs);
  if (terminal !== undefined) console.say(terminal.notice);
  const relay = new Relay({
    config,
    environment: everything,
    clock,
    random,
    numbers,
    transport: scaleTransport(config.clockScale),
    introduction: { backend: backend.name, model, effort, role, facts, session: session.name },
    secrets,
    logins: await AcceptedLogins.read(config.stateFolder),
    console,
    statusFile,
    journal,
    found,
    look,
    confinement,
    attach: terminal?.attach,
    startAgent: terminal?.start ?? ((start) => startHeadless(backend, start, { clock })),
  });
  const end = await relay.run(stop);
  await terminal?.close();
  session.release();
  console.end();
  if (end === "stopped") return 0;
  await statusFile?.stop("refused");
  console.say(
    "hint: check the model, the role and the registration token; contribute-setup with -reissue gets a new token for one that is lost",
  );
  return 1;
}

/** Ends and removes what earlier relays left behind: agents, credentials, folders of tasks. */
async function clearLeftovers(
  config: RelayConfig,
  journal: RunJournal,
  { clock, console }: { readonly clock: Clock; readonly console: Console },
): Promise<void> {
  await clearCredentials();
  const left = await clearWorkspaces(config.workspaceRoot);
  for (const what of left) console.say(`warning: something of a task stays: ${what}`);
  const runs = await journal.endLeftovers(clock);
  if (runs > 0) console.log.warn({ runs }, "ended agents that an earlier relay left behind");
}

/** Tells the contributor what keeps agents from this machine, and what a backend without a sandbox cannot do. */
function sayConfinement(config: RelayConfig, confinement: Confinement, isContained: boolean, console: Console): void {
  console.say(confinementSentence(confinement));
  const { cautionUnconfined } = config.backend;
  if (!isContained && cautionUnconfined !== undefined && config.agentCommand === undefined)
    console.say(`warning: ${cautionUnconfined}`);
}

/** Numbers the status and context files of each further relay on this machine, unless the operator named the files. */
function besideOthers(config: RelayConfig, { place }: SessionName): RelayConfig {
  if (place === 1) return config;
  const numbered = (path: string, isNamed: boolean) => (isNamed ? path : path.replace(/\.json$/, `-${place}.json`));
  return {
    ...config,
    statusFile: numbered(config.statusFile, config.filesAreNamed.status),
    taskContextFile: numbered(config.taskContextFile, config.filesAreNamed.context),
  };
}

/**
 * The first SIGTERM or SIGINT stops the relay; the process ends when the relay has stopped, with the exit code of its command.
 */
function stopOnSignal(clock: ReturnType<typeof systemClock>): AbortSignal {
  const stopping = new AbortController();
  onShutdownSignal(clock, () => {
    stopping.abort();
    return new Promise(() => undefined);
  });
  return stopping.signal;
}
