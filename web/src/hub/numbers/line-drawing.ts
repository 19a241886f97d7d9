type Values = readonly (number | undefined)[];

/** How a line is drawn: through values that stand beside each other, and with a dot for each that stands alone. Pure. */
export function drawingOf(
  values: Values,
  x: (nth: number) => number,
  y: (value: number) => number,
): { readonly line: string; readonly dots: string } {
  const steps: string[] = [];
  const dots: string[] = [];
  for (const [nth, value] of values.entries()) {
    if (value === undefined) continue;
    const at = `${x(nth).toFixed(1)} ${y(value).toFixed(1)}`;
    const goesOn = values[nth - 1] !== undefined;
    // A stroke of no length has round ends: those are the dot, round in a drawing of whatever width.
    if (!goesOn && values[nth + 1] === undefined) dots.push(`M${at}h0`);
    else steps.push(`${goesOn ? "L" : "M"}${at}`);
  }
  return { line: steps.join(""), dots: dots.join("") };
}

/** The last moment at which anything was measured; undefined where nothing was. Pure. */
export function lastMeasured(lines: readonly Values[]): number | undefined {
  const last = Math.max(-1, ...lines.map((values) => values.findLastIndex((value) => value !== undefined)));
  return last < 0 ? undefined : last;
}
