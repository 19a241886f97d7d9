/** `${NAME}`. */
const REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** The variable of the environment that a secret is taken from, where a configuration names one in its place. */
export function variableOf(written: string): string | undefined {
  return REFERENCE.exec(written)?.[1];
}
