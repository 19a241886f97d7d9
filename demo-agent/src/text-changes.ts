import { type Checkout, Unacceptable } from "./checkout.ts";
import type { Wish } from "./wishes.ts";

type Of<Kind extends Wish["kind"]> = Extract<Wish, { readonly kind: Kind }>;

/** Replaces whole words everywhere in one file. */
export async function replaceText(checkout: Checkout, wish: Of<"replace">): Promise<string> {
  const text = await checkout.need(wish.file);
  const pattern = new RegExp(`(?<![\\w])${escaped(wish.from)}(?![\\w])`, "g");
  const changed = text.replace(pattern, () => wish.to);
  if (changed === text) throw new Unacceptable(`${wish.file} does not say ${wish.from}`);
  await checkout.write(wish.file, changed);
  return `Say ${wish.to} in place of ${wish.from} in ${wish.file}`;
}

/** Gives a constant its new value, where it is set. */
export async function changeConstant(checkout: Checkout, wish: Of<"constant">): Promise<string> {
  const text = await checkout.need(wish.file);
  const pattern = new RegExp(`\\b(${escaped(wish.name)}\\s*=\\s*)${escaped(wish.from)}(?![\\w.])`, "g");
  const changed = text.replace(pattern, (_, before: string) => `${before}${wish.to}`);
  if (changed === text) throw new Unacceptable(`${wish.name} is not ${wish.from} in ${wish.file}`);
  await checkout.write(wish.file, changed);
  return `Set ${wish.name} to ${wish.to}`;
}

/** Adds a section before those on installing, tests and licence, which people expect last. */
export async function addSection(checkout: Checkout, wish: Of<"section">): Promise<string> {
  const text = await checkout.need(wish.file);
  await checkout.write(wish.file, withSection(text, wish.title, wish.text));
  return `Add the section ${wish.title} to ${wish.file}`;
}

function withSection(text: string, title: string, content: string): string {
  const section = `## ${title}\n\n${content.trim()}\n`;
  const last = /^## (Tests|License|Licence)$/m.exec(text);
  if (last === null) return `${text.trimEnd()}\n\n${section}`;
  return `${text.slice(0, last.index)}${section}\n${text.slice(last.index)}`;
}

/** Reads a source for the environment variables it uses, and documents them with their defaults. */
export async function documentEnvironment(checkout: Checkout, wish: Of<"environment">): Promise<string> {
  const source = await checkout.need(wish.source);
  const found = [
    ...source.matchAll(/\b(?:process\.env|environment|env)\.([A-Z][A-Z0-9_]*)(?:\s*\?\?\s*("[^"]*"|[\w.]+))?/g),
  ];
  const defaults = new Map(found.map(([, name = "", value = ""]) => [name, value.replaceAll('"', "")]));
  if (defaults.size === 0) throw new Unacceptable(`${wish.source} reads no environment variable`);
  const rows = [...defaults].map(([name, value]) => `| \`${name}\` | ${value === "" ? "none" : `\`${value}\``} |`);
  const table = ["| Variable | Default |", "|---|---|", ...rows].join("\n");
  const text = await checkout.need(wish.file);
  await checkout.write(wish.file, withSection(text, "Environment variables", table));
  return `List the environment variables in ${wish.file}`;
}

export async function removeLines(checkout: Checkout, wish: Of<"remove-lines">): Promise<string> {
  const lines = (await checkout.need(wish.file)).split("\n");
  const kept = lines.filter((line) => !line.includes(wish.holding));
  if (kept.length === lines.length) throw new Unacceptable(`no line of ${wish.file} holds ${wish.holding}`);
  await checkout.write(wish.file, kept.join("\n"));
  return `Remove the ${wish.holding.replace(/\W+$/, "")} lines from ${wish.file}`;
}

/** Adds a line to the end of a file, which may be new. */
export async function addLine(checkout: Checkout, wish: Of<"line">): Promise<string> {
  const text = (await checkout.read(wish.file)) ?? "";
  const lines = text.split("\n").filter((line, index, all) => line !== "" || index < all.length - 1);
  if (!lines.includes(wish.line)) await checkout.write(wish.file, `${[...lines, wish.line].join("\n")}\n`);
  return `Add ${wish.line} to ${wish.file}`;
}

/** Adds a line after the last entry of a Markdown list. */
export async function addToList(checkout: Checkout, wish: Of<"list-line">): Promise<string> {
  const lines = (await checkout.need(wish.file)).split("\n");
  const last = lines.findLastIndex((line) => /^[-*] /.test(line));
  if (last < 0 || wish.line.includes("\n")) throw new Unacceptable(`${wish.file} has no list for this line`);
  if (!lines.includes(wish.line)) await checkout.write(wish.file, lines.toSpliced(last + 1, 0, wish.line).join("\n"));
  return `Add ${/\[([^\]]+)\]/.exec(wish.line)?.[1] ?? "an entry"} to the list in ${wish.file}`;
}

/** Puts the entries of the only Markdown list of a file in alphabetical order. */
export async function sortList(checkout: Checkout, wish: Of<"sort-list">): Promise<string> {
  const lines = (await checkout.need(wish.file)).split("\n");
  const at = lines.flatMap((line, index) => (/^[-*] /.test(line) ? [index] : []));
  const sorted = at.map((index) => lines[index] ?? "").sort((a, b) => a.localeCompare(b, "en"));
  at.forEach((index, place) => {
    lines[index] = sorted[place] ?? "";
  });
  await checkout.write(wish.file, lines.join("\n"));
  return `Sort the list in ${wish.file}`;
}

export async function addFile(checkout: Checkout, wish: Of<"file">): Promise<string> {
  if ((await checkout.read(wish.file)) !== undefined) throw new Unacceptable(`${wish.file} is there already`);
  await checkout.write(wish.file, `${wish.text.trim()}\n`);
  return `Add ${wish.file}`;
}

/** A text for use in a regular expression, meaning itself. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
