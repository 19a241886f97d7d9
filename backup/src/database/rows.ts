/** A row as a line of `<table>.jsonl`: an object from column to value, the same for every database engine. */
export type Row = Readonly<Record<string, unknown>>;

/** The line for a row, with its newline. Integers beyond 2^53, bytes and numbers that JSON has no word for have forms of their own. */
export function lineOf(row: Row): string {
  return `${JSON.stringify(row, (_, value: unknown) => {
    if (typeof value === "bigint")
      return Number.isSafeInteger(Number(value)) ? Number(value) : { $integer: String(value) };
    if (typeof value === "number" && !Number.isFinite(value)) return { $real: String(value) };
    return value;
  })}\n`;
}

/** What a value of a database is before it becomes JSON: bytes are the only kind that JSON would mangle. */
export function plainRow(row: Row): Row {
  const entries = Object.entries(row).map(([column, value]) => {
    return [column, value instanceof Uint8Array ? { $base64: Buffer.from(value).toString("base64") } : value] as const;
  });
  return Object.fromEntries(entries);
}

/** A value of a line as it was before it became JSON. @throws TypeError for a form that nothing writes. */
export function columnValue(value: unknown): string | number | bigint | boolean | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "string") return value;
  const form = value as { $integer?: string; $base64?: string; $real?: string };
  if (typeof form.$integer === "string" && /^-?\d{1,30}$/.test(form.$integer)) return BigInt(form.$integer);
  if (typeof form.$base64 === "string") return Buffer.from(form.$base64, "base64");
  if (typeof form.$real === "string") return Number(form.$real);
  throw new TypeError("a value of the database export has an unknown form");
}
