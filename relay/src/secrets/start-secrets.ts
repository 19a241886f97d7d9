import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { secretsIn } from "@nest/agents";
import type { Environment } from "@nest/kit";

/**
 * Says where a relay finds secrets that must not be in its environment: in a file that it removes, or `-` for standard input.
 */
export const SECRETS_FROM = "NEST_SECRETS_FROM";
const FOLDER = "nest-secrets-";

/** Whether a variable's value must not be seen by other programs. */
export function isSecret(name: string, value: string): boolean {
  return secretsIn({ [name]: value }).length > 0;
}

export function withoutSecrets(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => {
      const [name, value] = entry;
      return value !== undefined && !isSecret(name, value);
    }),
  );
}

/** What this module uses of the process. */
export interface StartingProcess {
  readonly pid: number;
  readonly platform: string;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  /** Becomes another program; absent before Node 22.15. */
  readonly execve?: ((file: string, args: string[], environment: Record<string, string>) => void) | undefined;
}

/**
 * Returns what a relay works with: its environment, and the secrets that were handed to it in another way. The environment that
 * a process was started with can be read by other processes of its user for as long as it lives. So a process that was started
 * with secrets writes them to a 0600 file, executes itself again without them, and reads and removes the file before it starts
 * anything else. As the first process of a container it also puts an init (tini) in front of itself.
 *
 * Call it first thing in a program. It returns where nothing is to be done, or the system cannot do it.
 */
export function takeSecrets(environment: Environment, me: StartingProcess = process): Environment {
  const { [SECRETS_FROM]: from, ...given } = environment;
  const init = me.pid === 1 ? programOn(environment.PATH, "tini") : undefined;
  const seen = Object.entries(given).some(([name, value]) => value !== undefined && isSecret(name, value));
  const canBecome = me.platform === "linux" && me.execve !== undefined;
  if (!canBecome || (!seen && init === undefined))
    return { ...given, ...(from === undefined ? {} : readSecrets(from)) };
  const kept = withoutSecrets(given);
  const hidden = Object.fromEntries(Object.entries(given).filter(([name]) => kept[name] === undefined));
  const handed = seen ? writeSecrets({ ...hidden, ...(from === undefined ? {} : readSecrets(from)) }) : from;
  const argv = [me.execPath, ...me.execArgv, ...me.argv.slice(1)];
  const next = { ...kept, ...(handed === undefined ? {} : { [SECRETS_FROM]: handed }) };
  if (init === undefined) me.execve?.(me.execPath, argv, next);
  else me.execve?.(init, ["tini", "-s", "--", ...argv], next);
  return environment;
}

/** @throws where the file is not there or holds anything but text values. */
function readSecrets(from: string): Record<string, string> {
  const text = readFileSync(from === "-" ? 0 : from, "utf8");
  if (from !== "-") rmSync(from, { force: true });
  if (dirname(from).startsWith(join(tmpdir(), FOLDER))) rmSync(dirname(from), { recursive: true, force: true });
  const values: unknown = JSON.parse(text);
  if (
    typeof values !== "object" ||
    values === null ||
    !Object.values(values).every((value) => typeof value === "string")
  )
    throw new Error(`${SECRETS_FROM}: not a JSON object of texts`);
  return values as Record<string, string>;
}

function writeSecrets(values: Environment): string {
  const file = join(mkdtempSync(join(tmpdir(), FOLDER)), "secrets.json");
  writeFileSync(file, JSON.stringify(values), { mode: 0o600, flag: "wx" });
  return file;
}

function programOn(path: string | undefined, name: string): string | undefined {
  for (const folder of (path ?? "").split(delimiter))
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this folder; the next one may have it.
    }
  return undefined;
}
