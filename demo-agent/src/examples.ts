/** One thing that must hold in the end, as an issue wrote it. */
export type Example =
  | { readonly kind: "call"; readonly name: string; readonly args: readonly unknown[]; readonly gives: unknown }
  | { readonly kind: "throws"; readonly name: string; readonly args: readonly unknown[]; readonly error: string }
  | { readonly kind: "command"; readonly args: readonly string[]; readonly prints: string };

/**
 * The examples of an issue: list lines such as "`f(1, 2)` should give `3`". Arguments and results are JSON: what strangers write
 * is read as data and never run. Lines that are anything else are left out.
 */
export function examplesIn(body: string): Example[] {
  return body.split("\n").flatMap((line) => exampleIn(line.trim()) ?? []);
}

function exampleIn(line: string): Example | undefined {
  const call = /^[-*] `(\w+)\((.*)\)` should give `(.*)`$/.exec(line);
  const throwing = /^[-*] `(\w+)\((.*)\)` should throw `(\w+)`$/.exec(line);
  const command = /^[-*] `sh ([^`]+)` should print `([^`]*)`$/.exec(line);
  if (command !== null) return { kind: "command", args: wordsOf(command[1] ?? ""), prints: command[2] ?? "" };
  const [, name = "", args = "", third = ""] = call ?? throwing ?? [];
  if (name === "") return undefined;
  try {
    const values = JSON.parse(`[${args}]`) as unknown[];
    if (call === null) return { kind: "throws", name, args: values, error: third };
    return { kind: "call", name, args: values, gives: JSON.parse(third) };
  } catch {
    return undefined;
  }
}

/** Words of a command line; double quotes keep one together. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? "");
}

/** An argument list as source text. */
export function argumentsText(args: readonly unknown[]): string {
  return args.map(literal).join(", ");
}

/** A JSON value as JavaScript source, with spaces as people write them. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  return JSON.stringify(value);
}
