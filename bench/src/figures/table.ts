/** Columns aligned for a terminal: the first to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => (column === 0 ? (row[column] ?? "").padEnd(width) : (row[column] ?? "").padStart(width)))
      .join("  ")
      .trimEnd();
  return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}

/** `ratio: hub / naive hub = 12.9` for two figures of one run; says so when one is missing. */
export function ratioLine(what: string, ours: Figure, theirs: Figure): string {
  const name = `ratio: ${what}: ${ours.name} / ${theirs.name}`;
  if (!(theirs.value > 0) || Number.isNaN(ours.value)) return `${name} = not measured`;
  return `${name} = ${(ours.value / theirs.value).toFixed(2)}`;
}

/** A figure and whose it is. */
export interface Figure {
  readonly name: string;
  readonly value: number;
}

/** A number short enough for a table. */
export function short(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "-";
  if (value >= 1000) return Math.round(value).toLocaleString("en");
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
