/** What this agent knows how to write, by name: the parameters it expects, a comment and the body. */
interface KnownFunction {
  readonly parameters: number;
  readonly comment: string;
  readonly body: (...names: string[]) => string[];
}

const KNOWN: Readonly<Record<string, KnownFunction>> = {
  clamp: {
    parameters: 3,
    comment: "The value, or the bound that it lies beyond.",
    body: (value, low, high) => [`return Math.min(${high}, Math.max(${low}, ${value}));`],
  },
  metresToFeet: {
    parameters: 1,
    comment: "A length in feet, with one decimal.",
    body: (metres) => [`return Math.round(${metres} * 3.28084 * 10) / 10;`],
  },
  slugify: {
    parameters: 1,
    comment: "The text in lower case, with one hyphen in place of all that is no letter or digit.",
    body: (text) => [
      `return ${text}`,
      "  .toLowerCase()",
      '  .replace(/[^a-z0-9]+/g, "-")',
      '  .replace(/^-|-$/g, "");',
    ],
  },
  unique: {
    parameters: 1,
    comment: "The entries of a list, each once, in their first order.",
    body: (list) => [`return [...new Set(${list})];`],
  },
  capitalize: {
    parameters: 1,
    comment: "The text with its first letter in upper case.",
    body: (text) => [`return ${text}.charAt(0).toUpperCase() + ${text}.slice(1);`],
  },
  median: {
    parameters: 1,
    comment: "The middle of some numbers; the mean of the two in the middle when their count is even.",
    body: (numbers) => [
      `const sorted = [...${numbers}].sort((a, b) => a - b);`,
      "const middle = sorted.length >> 1;",
      "return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;",
    ],
  },
};

/** The source of a function that this agent knows, or undefined. */
export function knownFunction(name: string, parameters: string): string | undefined {
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  const names = parameters.split(",").map((parameter) => parameter.trim());
  if (known === undefined || names.length !== known.parameters) return undefined;
  if (!names.every((parameter) => /^[A-Za-z_]\w*$/.test(parameter))) return undefined;
  const body = known.body(...names).map((line) => `  ${line}`);
  return [`/** ${known.comment} */`, `export function ${name}(${names.join(", ")}) {`, ...body, "}", ""].join("\n");
}
