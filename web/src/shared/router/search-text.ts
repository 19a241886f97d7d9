/** Reads a query string. Values stay text (`q=007` stays `007`); of a repeated name the last value counts. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Writes a query string without undefined and empty values, sorted by name, so that equal filters have equal addresses. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const said = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(said.map(([name, value]) => [name, String(value)]).sort()).toString();
  return text === "" ? "" : `?${text}`;
}
