import { parse, YAMLParseError } from "yaml";
import type { z } from "zod";
import { UsageError } from "./errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** One `NEST_*` variable, or its `HIVE_*` twin when that one is absent. Empty counts as absent. */
export function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  if (value !== undefined && value !== "") return value;
  if (!name.startsWith("NEST_")) return undefined;
  const twin = environment[`HIVE_${name.slice("NEST_".length)}`];
  return twin === "" ? undefined : twin;
}

/**
 * Checks configuration against its schema.
 *
 * @throws UsageError with one line per fault, each beginning with the key: `<key>: <what is wrong>`. Values are not repeated,
 * they may be secrets.
 */
export function checkConfig<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const faults = checked.error.issues.flatMap((issue) => {
    const at = issue.path.map(String).join(".");
    // What is wrong with a key of a map stands one level below.
    if (issue.code === "invalid_key") return [`${at}: ${lower(issue.issues[0]?.message ?? issue.message)}`];
    if (issue.code !== "unrecognized_keys") return [`${at === "" ? "configuration" : at}: ${lower(issue.message)}`];
    return issue.keys.map((key) => `${at === "" ? key : `${at}.${key}`}: unknown key`);
  });
  throw new UsageError(faults[0] ?? "configuration: not valid", { faults });
}

/** A configuration has some kilobytes. What is larger is none, and would keep the parser busy for seconds. */
export const MOST_YAML_BYTES = 1024 * 1024;

/**
 * The value of a YAML text (JSON is YAML).
 *
 * @throws UsageError naming the file and line of a syntax error, or the limit where the text is larger than 1 MiB.
 */
export function parseYaml(text: string, name: string): unknown {
  if (Buffer.byteLength(text) > MOST_YAML_BYTES)
    throw new UsageError(`${name}: too large for a configuration: the limit is ${MOST_YAML_BYTES} bytes`);
  try {
    return parse(text, { maxAliasCount: 100, prettyErrors: true }) ?? {};
  } catch (thrown) {
    // Other errors quote the text that they failed on, and that may be a secret: for example an alias that nobody defined.
    if (!(thrown instanceof YAMLParseError))
      throw new UsageError(`${name}: not valid YAML: an alias (*name) that is not defined, or too many of them`, {
        hint: "put a value that begins with * or & between quotes",
      });
    const line = thrown.linePos?.[0].line;
    throw new UsageError(
      `${name}: not valid YAML${line === undefined ? "" : ` at line ${line}`}: ${thrown.code.toLowerCase().replaceAll("_", " ")}`,
    );
  }
}

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
