import { posix } from "node:path";
import type { Checkout } from "./checkout.ts";
import { argumentsText, type Example, literal } from "./examples.ts";

/** Adds a test file to the repository that holds these examples about one function or script. Says which file. */
export async function writeTest(
  checkout: Checkout,
  about: { readonly name: string; readonly file: string; readonly examples: readonly Example[] },
): Promise<string> {
  if (about.file.endsWith(".sh")) return writeShellTest(checkout, about.file, about.examples);
  const file = await freeName(checkout, `test/${kebab(about.name)}`, ".test.js");
  const lines = about.examples.flatMap((example) => {
    if (example.kind === "command") return [];
    const call = `${example.name}(${argumentsText(example.args)})`;
    if (example.kind === "throws") return [`  assert.throws(() => ${call}, ${example.error});`];
    const flat = typeof example.gives !== "object" || example.gives === null;
    return [`  assert.${flat ? "equal" : "deepEqual"}(${call}, ${literal(example.gives)});`];
  });
  const text = [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    `import { ${about.name} } from "${posix.relative("test", about.file)}";`,
    "",
    `test("${about.name} gives what was asked for", () => {`,
    ...lines,
    "});",
    "",
  ];
  await checkout.write(file, text.join("\n"));
  return file;
}

async function writeShellTest(checkout: Checkout, script: string, examples: readonly Example[]): Promise<string> {
  const file = await freeName(checkout, `tests/${posix.basename(script, ".sh")}`, ".sh");
  const lines = examples.flatMap((example) => {
    if (example.kind !== "command") return [];
    return [["expect", quoted(example.prints), "sh", ...example.args.map(quoted)].join(" ")];
  });
  await checkout.write(file, `${lines.join("\n")}\n`);
  return file;
}

async function freeName(checkout: Checkout, stem: string, end: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = `${stem}${number === 1 ? "" : `-${number}`}${end}`;
    if ((await checkout.read(name)) === undefined) return name;
  }
}

/** A word for the shell: bare when it is harmless, in single quotes otherwise. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
