import { csvCell } from "@nest/protocol";

/** A line of a CSV file (RFC 4180); no cell of it is taken for a formula. */
export function csvLine(cells: readonly (string | number | undefined)[]): string {
  return `${cells.map((cell) => (typeof cell === "number" ? String(cell) : csvCell(cell ?? ""))).join(",")}\r\n`;
}
