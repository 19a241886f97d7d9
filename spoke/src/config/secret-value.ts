import { type Environment, Secret, UsageError } from "@nest/kit";

/** `${NAME}`. */
const REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** Whether a text can stand for a secret: it names a variable and nothing else, or it names none. */
export function isSecretText(written: string): boolean {
  return REFERENCE.test(written) || !written.includes("${");
}

/** The variable that a secret is taken from, where it is not written itself. */
export function variableOf(written: string): string | undefined {
  return REFERENCE.exec(written)?.[1];
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
