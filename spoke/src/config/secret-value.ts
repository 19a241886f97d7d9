import { type Environment, Secret, UsageError, variableOf } from "@nest/kit";

/** Whether a text can stand for a secret: it names a variable and nothing else, or it names none. */
export function isSecretText(written: string): boolean {
  return variableOf(written) !== undefined || !written.includes("${");
}

/**
 * A secret of the configuration: the text itself, or `${NAME}` for that environment variable's value, so that the secret need not be
 * in a file. Undefined where none is written.
 *
 * @throws UsageError naming the key where the variable is not set.
 */
export function secretValue(key: string, written: string | undefined, environment: Environment): Secret | undefined {
  if (written === undefined) return undefined;
  const name = variableOf(written);
  if (name === undefined) return new Secret(written);
  const value = environment[name];
  if (value === undefined || value === "") throw new UsageError(`${key}: names the variable ${name}, which is not set`);
  return new Secret(value);
}
