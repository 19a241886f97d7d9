import "./numbers.css";
import { axisTicks } from "../../shared/charts/axis.ts";
import { ChartFrame } from "../../shared/charts/chart-frame.tsx";
import { plotHeight, plotWidth } from "../../shared/charts/plot.ts";
import { drawingOf, lastMeasured } from "./line-drawing.ts";

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
      atFirst={lastMeasured(lines.map(({ values }) => values))}
    >
      {(chosen) => (
        <>
          {chosen === undefined ? undefined : (
            <line className="chosen" x1={x(chosen)} x2={x(chosen)} y1={0} y2={plotHeight} />
          )}
          {lines.map(({ name, values }, nth) => {
            const { line, dots } = drawingOf(values, x, y);
            return (
              <g key={name}>
                <path className={`line-${nth}`} d={line} />
                <path className={`line-${nth} dots`} d={dots} />
              </g>
            );
          })}
        </>
      )}
    </ChartFrame>
  );
}
