/** Replaces what a pattern finds, one place at a time. */
interface Edit {
  readonly find: RegExp;
  readonly by: (match: RegExpExecArray) => readonly string[];
}

/** The slips that people make most, the likeliest first. */
const EDITS: readonly Edit[] = [
  { find: / (<=|>=|<|>) /g, by: ([, sign]) => [` ${{ "<": "<=", ">": ">=", "<=": "<", ">=": ">" }[sign ?? ""]} `] },
  { find: / -(lt|le|gt|ge) /g, by: ([, sign]) => [` -${{ lt: "le", le: "lt", gt: "ge", ge: "gt" }[sign ?? ""]} `] },
  { find: / [+-] 1\b/g, by: () => [""] },
  { find: /Math\.(round|floor|ceil)/g, by: () => ["Math.floor", "Math.ceil", "Math.round"] },
  { find: /\.sort\(\)/g, by: () => [".sort((a, b) => a - b)"] },
  { find: /\b([a-z]\w*) \* /g, by: ([, name]) => [`(${name} - 1) * `, `(${name} + 1) * `] },
  { find: /\b\d+\b/g, by: ([digits]) => [String(Number(digits) - 1), String(Number(digits) + 1)] },
  { find: / (&&|\|\|) /g, by: ([, sign]) => [sign === "&&" ? " || " : " && "] },
  { find: / [+-] /g, by: ([sign]) => [sign === " + " ? " - " : " + "] },
  { find: /\b([a-z]\w*\.length)\b/g, by: ([whole]) => [`${whole} - 1`, `${whole} + 1`] },
  { find: /\.replace\(/g, by: () => [".replaceAll("] },
  { find: /\.(shift|pop)\(\)/g, by: ([, name]) => [name === "pop" ? ".shift()" : ".pop()"] },
];

/** Every text that is one small edit away, the likeliest first, each once. Comment lines stay as they are. */
export function smallEdits(source: string): string[] {
  const found = new Set<string>();
  for (const edit of EDITS) {
    for (const match of source.matchAll(edit.find)) {
      const line = source.slice(source.lastIndexOf("\n", match.index) + 1, match.index).trimStart();
      if (/^(#|\/\/|\*|\/\*)/.test(line)) continue;
      for (const by of edit.by(match)) {
        found.add(source.slice(0, match.index) + by + source.slice(match.index + match[0].length));
      }
    }
  }
  found.delete(source);
  return [...found];
}

/** Where a function's text begins and ends in a source: from `function name(` to the brace that closes it in the first column. */
export function functionIn(source: string, name: string): { readonly from: number; readonly to: number } | undefined {
  const match = new RegExp(`^(export )?(async )?function ${name}\\(`, "m").exec(source);
  if (match === null) return undefined;
  const end = source.indexOf("\n}", match.index);
  return end < 0 ? undefined : { from: match.index, to: end + 2 };
}
