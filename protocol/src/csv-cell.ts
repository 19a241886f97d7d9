/** What a spreadsheet takes for the begin of a formula; full-width forms are read as the plain characters. */
const BEGINS = "[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]";
/** Leading blanks are skipped by some spreadsheets. */
const FORMULA = new RegExp(`^([\\t\\r\\n]|[\\s\\ufeff]*${BEGINS})`);
/** Where a list is separated by semicolons or tabs, a cell begins behind each of them. */
const INNER = new RegExp(`([;|\\t]\\s*)(?=${BEGINS})`, "g");

/**
 * A text as a cell of a CSV file (RFC 4180). A spreadsheet computes what looks like a formula, whoever wrote it: that gets an
 * apostrophe in front, which spreadsheets do not show. Pure.
 */
export function csvCell(text: string): string {
  const harmless = text.replace(FORMULA, "'$1").replace(INNER, "$1'");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
