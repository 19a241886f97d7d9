import "./numbers.css";
import { axisTicks } from "../../shared/charts/axis.ts";
import { ChartFrame } from "../../shared/charts/chart-frame.tsx";
import { plotHeight, plotWidth } from "../../shared/charts/plot.ts";

export interface Line {
  readonly name: string;
  /** One a moment; undefined where there is nothing to show. */
  readonly values: readonly (number | undefined)[];
}

export interface LineChartProps {
  /** What the chart shows, with its unit. */
  readonly label: string;
  readonly lines: readonly Line[];
  /** What stands below each moment; only some have room for it. */
  readonly labels: readonly string[];
  readonly words: (nth: number) => string;
  readonly format: (value: number) => string;
  /** The ticks of the axis for the highest value; round numbers unless said otherwise. */
  readonly ticksOf?: (highest: number) => readonly number[];
}

/** Lines over time. */
export function LineChart({ label, lines, labels, words, format, ticksOf = axisTicks }: LineChartProps) {
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const ticks = ticksOf(highest);
  const top = ticks.at(-1) ?? 1;
  const x = (nth: number) => ((nth + 0.5) * plotWidth) / labels.length;
  const y = (value: number) => plotHeight - (value / top) * plotHeight;
  return (
    <ChartFrame
      label={`${label}, at most ${format(highest)}`}
      look="lines"
      ticks={ticks}
      format={format}
      moments={labels.map((text) => ({ key: text, text }))}
      words={words}
    >
      {(chosen) => (
        <>
          {chosen === undefined ? undefined : (
            <line className="chosen" x1={x(chosen)} x2={x(chosen)} y1={0} y2={plotHeight} />
          )}
          {lines.map(({ name, values }, nth) => (
            <path key={name} className={`line-${nth}`} d={pathOf(values, x, y)} />
          ))}
        </>
      )}
    </ChartFrame>
  );
}

/** A line through what is there; a moment that stands alone is a short stroke. Pure. */
export function pathOf(
  values: readonly (number | undefined)[],
  x: (nth: number) => number,
  y: (value: number) => number,
): string {
  const steps: string[] = [];
  for (const [nth, value] of values.entries()) {
    if (value === undefined) continue;
    const [at, height] = [x(nth).toFixed(1), y(value).toFixed(1)];
    const goesOn = values[nth - 1] !== undefined;
    const isAlone = !goesOn && values[nth + 1] === undefined;
    if (isAlone) steps.push(`M${(x(nth) - 2).toFixed(1)} ${height}H${(x(nth) + 2).toFixed(1)}`);
    else steps.push(`${goesOn ? "L" : "M"}${at} ${height}`);
  }
  return steps.join("");
}
