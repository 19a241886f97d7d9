import { type Checkout, Unacceptable } from "./checkout.ts";
import type { Wish } from "./wishes.ts";

type Of<Kind extends Wish["kind"]> = Extract<Wish, { readonly kind: Kind }>;
type Entry = Readonly<Record<string, unknown>>;

/** Adds an entry to a JSON list, written like its neighbours: one a line. */
export async function addEntry(checkout: Checkout, wish: Of<"entry">): Promise<string> {
  const entry = JSON.parse(wish.json) as Entry;
  const entries = await entriesOf(checkout, wish.file);
  await checkout.write(wish.file, listText([...entries, entry]));
  return `Add ${String(entry.name ?? "an entry")} to ${wish.file}`;
}

/** Sorts a JSON list by one field. */
export async function sortEntries(checkout: Checkout, wish: Of<"sort-entries">): Promise<string> {
  const entries = await entriesOf(checkout, wish.file);
  const sorted = entries.toSorted((a, b) => String(a[wish.by]).localeCompare(String(b[wish.by]), "en"));
  await checkout.write(wish.file, listText(sorted));
  return `Sort ${wish.file} by ${wish.by}`;
}

/** Adds a field to a JSON object, after its description where it has one. */
export async function addField(checkout: Checkout, wish: Of<"field">): Promise<string> {
  const before = JSON.parse(await checkout.need(wish.file)) as Entry;
  const fields = Object.entries(before).filter(([name]) => name !== wish.name);
  const at = fields.findIndex(([name]) => name === "description") + 1 || fields.length;
  const after = Object.fromEntries(fields.toSpliced(at, 0, [wish.name, wish.value]));
  await checkout.write(wish.file, `${JSON.stringify(after, null, 2)}\n`);
  return `Set ${wish.name} in ${wish.file}`;
}

async function entriesOf(checkout: Checkout, file: string): Promise<Entry[]> {
  const value: unknown = JSON.parse(await checkout.need(file));
  if (!Array.isArray(value)) throw new Unacceptable(`${file} holds no list`);
  return value as Entry[];
}

function listText(entries: readonly Entry[]): string {
  return `[\n${entries.map((entry) => `  ${spaced(entry)}`).join(",\n")}\n]\n`;
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${spaced(field)}`);
  return `{ ${fields.join(", ")} }`;
}
