import { csvCell } from "@nest/protocol";

/** Rows as CSV (RFC 4180); names are chosen by strangers, and none is taken for a formula. Pure. */
export function csvOf(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return `${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

function cell(value: string | number | undefined): string {
  if (value === undefined) return "";
  return typeof value === "number" ? String(value) : csvCell(value);
}
