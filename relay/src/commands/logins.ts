import { homedir } from "node:os";
import { type Backend, type OwnFolder, ownFilesGiven } from "@nest/agents";
import { type Environment, variable } from "@nest/kit";
import { CARRIED_LOGIN, packLogin } from "../secrets/carried-login.ts";
import { codeHostLogin } from "./code-host-login.ts";
import type { CommandDeps } from "./command.ts";

/** Variables that are a credential, and not a setting. */
const CREDENTIAL = /(?:KEY|TOKEN|AUTH)/;

export interface Logins {
  /** The variables that bring the logins into a container. */
  readonly variables: Readonly<Record<string, string>>;
  /** What goes along and what is missing, one line each, for people; no secret in it. */
  readonly said: readonly string[];
}

/**
 * The contributor's logins for a relay in a container: at the agent's maker, and at the code host. What the environment has goes
 * along by itself; what lies in files of this machine is copied.
 */
export async function loginsFor(backend: Backend, environment: Environment, deps: CommandDeps): Promise<Logins> {
  const agent = await agentLogin(backend, environment);
  const codeHost = await ownCodeHostLogin(environment, deps);
  return {
    variables: { ...agent.variables, ...codeHost.variables },
    said: [...agent.said, ...codeHost.said],
  };
}

/** Settings go along beside a variable too, because they may say where the model is; a second login does not. */
async function agentLogin(backend: Backend, environment: Environment): Promise<Logins> {
  const named = backend.credentialVariables.find((name) => CREDENTIAL.test(name) && environment[name]);
  if (named === undefined && backend.name === "litellm") return { variables: {}, said: litellmGaps(environment) };
  const folders = backend.ownFolders(environment);
  const wanted = named === undefined ? folders : folders.map(settingsOnly);
  const files = await ownFilesGiven(wanted, environment.HOME || homedir());
  const packed = packLogin(files);
  const variables = packed === undefined ? {} : { [CARRIED_LOGIN]: packed };
  const names = files.map(({ path }) => `~/${path}`).join(", ");
  if (named !== undefined) {
    const beside = packed === undefined ? "" : `, and what it needs of ${names}`;
    return { variables, said: [`the login of ${backend.name} goes along: ${named}${beside}`] };
  }
  if (packed === undefined) return { variables, said: [missing(backend)] };
  return {
    variables,
    said: [
      `the login of ${backend.name} goes along, copied as a secret: ${names}. What ${backend.name} renews in there stays in the volume nest-relay-state; should it sign you out here, sign in again and start this anew`,
    ],
  };
}

function settingsOnly(folder: OwnFolder): OwnFolder {
  return { ...folder, files: folder.files.filter(({ renewed }) => renewed === undefined) };
}

function missing(backend: Backend): string {
  const variable = backend.credentialVariables.find((name) => CREDENTIAL.test(name));
  if (backend.defaults !== undefined)
    return `no settings of ${backend.name} were found: it works with a local model (${Object.values(backend.defaults.variables).join(", ")})`;
  const how = variable === undefined ? "" : `, or set ${variable}`;
  return `warning: no login of ${backend.name} was found here, so it can do nothing in there: start ${backend.binary} once and sign in${how}`;
}

function litellmGaps(environment: Environment): readonly string[] {
  return ["NEST_LITELLM_ENDPOINT", "NEST_LITELLM_API_KEY"]
    .filter((name) => variable(environment, name) === undefined)
    .map((name) => `warning: ${name} is not set`);
}

async function ownCodeHostLogin(environment: Environment, deps: CommandDeps): Promise<Logins> {
  const found = await codeHostLogin({ ...deps, environment });
  if ("gap" in found) return { variables: {}, said: [`warning: ${found.gap}`] };
  const { token, login, from } = found;
  const said = [`your login at the code host goes along: ${login}, by ${from}`];
  return { variables: { GH_TOKEN: token.reveal() }, said };
}
