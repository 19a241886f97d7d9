/** What the query of an address says: each name with its last value, as text and nothing else (`q=007` stays `007`). */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** The query that says this; what is undefined or empty is left out. The same is always said in the same order. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const said = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(said.map(([name, value]) => [name, String(value)]).sort()).toString();
  return text === "" ? "" : `?${text}`;
}
