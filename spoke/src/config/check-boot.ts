import { type NestError, UsageError } from "@nest/kit";
import { checkNestYaml, type NestYaml } from "./nest-yaml.ts";
import { secretValue } from "./secret-value.ts";
import { hubLink, type SpokeSettings } from "./settings.ts";

/**
 * Checks whether a nest could start with a whole configuration, and answers with it. Whatever is saved passes this first.
 *
 * @throws UsageError with one line per fault.
 */
export function checkBoot(value: unknown, settings: SpokeSettings): NestYaml {
  const config = checkNestYaml(value);
  const faults = [
    () => hubLink(settings, config),
    () => secretValue("github.token", config.github.token, settings.environment),
    () => checkPort(config, settings),
  ].flatMap((check) => faultsOf(check));
  const [first] = faults;
  if (first !== undefined) throw new UsageError(first, { faults });
  return config;
}

/** What keeps a nest from starting with this configuration, one line per fault; empty where nothing does. */
export function whyNoBoot(value: unknown, settings: SpokeSettings): readonly string[] {
  return faultsOf(() => checkBoot(value, settings));
}

function checkPort({ dashboard }: NestYaml, settings: SpokeSettings): void {
  const port = settings.dashboardPort ?? dashboard.port ?? undefined;
  if (port !== undefined && port !== 0 && port === settings.terminalPort)
    throw new UsageError(`dashboard.port: ${port} is the terminal's port already`);
}

function faultsOf(check: () => unknown): readonly string[] {
  try {
    check();
    return [];
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    const { faults, message }: NestError = thrown;
    return faults.length > 0 ? faults : [message];
  }
}
