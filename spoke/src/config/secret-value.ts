import { type Environment, Secret, UsageError } from "@nest/kit";

/**
 * A secret of the configuration: the text itself, or `${NAME}` for that environment variable's value, so that the secret need not be
 * in a file. Undefined where none is written.
 *
 * @throws UsageError naming the key where the variable is not set.
 */
export function secretValue(key: string, written: string | undefined, environment: Environment): Secret | undefined {
  if (written === undefined) return undefined;
  const name = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(written)?.[1];
  if (name === undefined) return new Secret(written);
  const value = environment[name];
  if (value === undefined || value === "") throw new UsageError(`${key}: names the variable ${name}, which is not set`);
  return new Secret(value);
}
