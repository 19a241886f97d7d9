import { fittingModules, fittingScripts } from "./candidates.ts";
import { type Checkout, Unacceptable } from "./checkout.ts";
import { knownFunction } from "./known-functions.ts";
import { functionIn, smallEdits } from "./small-edits.ts";
import { escaped } from "./text-changes.ts";
import type { Wish } from "./wishes.ts";
import { writeTest } from "./write-tests.ts";

type Of<Kind extends Wish["kind"]> = Extract<Wish, { readonly kind: Kind }>;

/** Adds a function that this agent knows how to write, its test, and its name to the package's door. */
export async function addFunction(checkout: Checkout, wish: Of<"function">): Promise<string> {
  const source = knownFunction(wish.name, wish.parameters);
  if (source === undefined) throw new Unacceptable(`I do not know how to write a function ${wish.name}`);
  const before = await checkout.read(wish.file);
  const text = before === undefined ? source : `${before.trimEnd()}\n\n${source}`;
  const [fits] = await fittingModules(checkout, wish.file, [text], wish.examples);
  if (fits === undefined) throw new Unacceptable(`what I know as ${wish.name} does not fit the examples`);
  await checkout.write(wish.file, fits);
  await writeTest(checkout, wish);
  const door = await checkout.read("src/index.js");
  if (door !== undefined && wish.file.startsWith("src/")) {
    const line = `export { ${wish.name} } from "./${wish.file.slice("src/".length)}";`;
    await checkout.write("src/index.js", `${[...door.trimEnd().split("\n"), line].join("\n")}\n`);
  }
  return `Add ${wish.name}`;
}

/** Adds a test for what works already. */
export async function addTest(checkout: Checkout, wish: Of<"test">): Promise<string> {
  await checkout.need(wish.file);
  if (wish.examples.length === 0) throw new Unacceptable("there is no example to test");
  await writeTest(checkout, wish);
  return `Test ${wish.name}`;
}

/** Looks for one small edit that makes the examples hold and leaves the repository's tests green; adds the examples as a test. */
export async function repair(checkout: Checkout, wish: Of<"repair">): Promise<string> {
  if (wish.examples.length === 0) throw new Unacceptable("there is no example to work towards");
  const before = await checkout.need(wish.file);
  const fitting = await fittingEdits(checkout, wish, before);
  const about = { name: wish.name ?? wish.file, file: wish.file, examples: wish.examples };
  await writeTest(checkout, about);
  for (const candidate of fitting) {
    await checkout.write(wish.file, candidate);
    if ((await checkout.runTests())?.code === 0) return `Correct ${about.name}`;
  }
  throw new Unacceptable(`no small edit of ${about.name} makes the examples hold`);
}

async function fittingEdits(checkout: Checkout, wish: Of<"repair">, before: string): Promise<string[]> {
  if (wish.name === undefined) return fittingScripts(checkout, wish.file, smallEdits(before), wish.examples);
  const place = functionIn(before, wish.name);
  if (place === undefined) throw new Unacceptable(`there is no function ${wish.name} in ${wish.file}`);
  const edits = smallEdits(before.slice(place.from, place.to));
  const candidates = edits.map((edit) => before.slice(0, place.from) + edit + before.slice(place.to));
  return fittingModules(checkout, wish.file, candidates, wish.examples);
}

const CONDITION = /^([a-z]\w*) (<|>|<=|>=|===) -?\d+(\.\d+)?$/i;

/** Has a function refuse what it should: the check comes as soon as the value that it looks at is known. */
export async function addGuard(checkout: Checkout, wish: Of<"guard">): Promise<string> {
  const variable = CONDITION.exec(wish.when)?.[1];
  if (variable === undefined || !/^(Range|Type)?Error$/.test(wish.error))
    throw new Unacceptable(`I do not know how to check ${wish.when}`);
  const source = await checkout.need(wish.file);
  const place = functionIn(source, wish.name);
  if (place === undefined) throw new Unacceptable(`there is no function ${wish.name} in ${wish.file}`);
  const lines = source.slice(place.from, place.to).split("\n");
  const set = lines.findIndex(
    (line, index) => index > 0 && new RegExp(`^  (const|let) .*\\b${variable}\\b.*=`).test(line),
  );
  const check = `  if (${wish.when}) throw new ${wish.error}(${JSON.stringify(wish.message)});`;
  const changed = lines.toSpliced(Math.max(set, 0) + 1, 0, check).join("\n");
  const candidate = source.slice(0, place.from) + changed + source.slice(place.to);
  const [fits] = await fittingModules(checkout, wish.file, [candidate], wish.examples);
  if (fits === undefined) throw new Unacceptable("the check does not make the examples hold");
  await checkout.write(wish.file, fits);
  await writeTest(checkout, wish);
  return `Have ${wish.name} refuse ${wish.message.replace(/^(\w+) /, "a wrong $1: $1 ")}`;
}

/** Renames a function or variable in all files. */
export async function rename(checkout: Checkout, wish: Of<"rename">): Promise<string> {
  const from = new RegExp(`\\b${escaped(wish.from)}\\b`, "g");
  const to = new RegExp(`\\b${escaped(wish.to)}\\b`);
  const texts = await Promise.all(
    (await checkout.files()).map(async (file) => [file, await checkout.need(file)] as const),
  );
  const holding = texts.filter(([, text]) => text.search(from) >= 0);
  if (holding.length === 0) throw new Unacceptable(`nothing is called ${wish.from}`);
  if (texts.some(([, text]) => to.test(text))) throw new Unacceptable(`something is called ${wish.to} already`);
  for (const [file, text] of holding) await checkout.write(file, text.replace(from, wish.to));
  return `Rename ${wish.from} to ${wish.to}`;
}

export async function addDocComment(checkout: Checkout, wish: Of<"doc-comment">): Promise<string> {
  const source = await checkout.need(wish.file);
  const place = functionIn(source, wish.name);
  if (place === undefined) throw new Unacceptable(`there is no function ${wish.name} in ${wish.file}`);
  if (source.slice(0, place.from).trimEnd().endsWith("*/")) throw new Unacceptable(`${wish.name} has a comment`);
  const comment = `/** ${wish.text.trim().replaceAll("*/", "").replace(/\s+/g, " ")} */\n`;
  await checkout.write(wish.file, source.slice(0, place.from) + comment + source.slice(place.from));
  return `Say what ${wish.name} does`;
}

/** Has a shell script stop at the first failure: after its opening comment, before its first command. */
export async function makeStrict(checkout: Checkout, wish: Of<"strict-shell">): Promise<string> {
  const lines = (await checkout.need(wish.file)).split("\n");
  const first = lines.findIndex((line) => !line.startsWith("#"));
  await checkout.write(wish.file, lines.toSpliced(first, 0, "set -eu").join("\n"));
  return `Stop ${wish.file} at the first failure`;
}
