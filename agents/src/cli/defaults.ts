import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import type { Environment } from "@nest/kit";
import type { Backend } from "./backend.ts";

/**
 * The environment with the backend's defaults, where neither it nor the person's own settings of the CLI have made a choice
 * (spec: Relay environment, backend notes). Settings that cannot be read have made none.
 */
export async function withDefaults(backend: Backend, environment: Environment): Promise<Environment> {
  const { defaults } = backend;
  if (defaults === undefined) return environment;
  const [first = ""] = Object.keys(defaults.variables);
  if (environment[first]) return environment;
  const path = defaults.settings(environment).replace(/^~(?=\/)/, environment.HOME || homedir());
  const settings = await readFile(path, "utf8").catch(() => "");
  return defaults.chosen.test(settings) ? environment : { ...defaults.variables, ...filled(environment) };
}

function filled(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""));
}
