/** A row as a line of `<table>.jsonl`: an object from column to value, the same for both engines. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The JSON line of a row, with its newline. Integers beyond 2^53, bytes, and numbers that JSON cannot express are encoded
 * specially.
 */
export function lineOf(row: Row): string {
  return `${JSON.stringify(row, (_, value: unknown) => {
    if (typeof value === "bigint")
      return Number.isSafeInteger(Number(value)) ? Number(value) : { $integer: String(value) };
    if (typeof value === "number" && !Number.isFinite(value)) return { $real: String(value) };
    return value;
  })}\n`;
}

/** Converts the values that JSON cannot express; of a database's values these are bytes and special numbers. */
export function plainRow(row: Row): Row {
  const entries = Object.entries(row).map(([column, value]) => {
    return [column, value instanceof Uint8Array ? { $base64: Buffer.from(value).toString("base64") } : value] as const;
  });
  return Object.fromEntries(entries);
}

/** Decodes a value of a line. @throws TypeError for an encoding that is never written. */
export function columnValue(value: unknown): string | number | bigint | boolean | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "string") return value;
  const form = value as { $integer?: string; $base64?: string; $real?: string };
  if (typeof form.$integer === "string" && /^-?\d{1,30}$/.test(form.$integer)) return BigInt(form.$integer);
  if (typeof form.$base64 === "string") return Buffer.from(form.$base64, "base64");
  if (typeof form.$real === "string") return Number(form.$real);
  throw new TypeError("a value of the database export has an unknown form");
}
