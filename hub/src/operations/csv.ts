/**
 * A line of a CSV file (RFC 4180). A spreadsheet takes a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break for a formula
 * and computes it, whoever wrote it: such a cell gets an apostrophe in front, which spreadsheets do not show.
 */
export function csvLine(cells: readonly (string | number | undefined)[]): string {
  return `${cells.map((cell) => quoted(harmless(cell))).join(",")}\r\n`;
}

function harmless(cell: string | number | undefined): string {
  if (typeof cell === "number") return String(cell);
  const text = cell ?? "";
  // Full-width forms are read as the plain characters; leading blanks are skipped by some spreadsheets.
  return /^[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
