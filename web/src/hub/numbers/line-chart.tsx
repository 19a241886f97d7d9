import "../../shared/charts/charts.css";
import "./numbers.css";
import { type KeyboardEvent, useState } from "react";
import { axisTicks } from "../../shared/charts/axis.ts";

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

const HEIGHT = 120;
const WIDTH = 720;
const LABELS = 4;

/** Lines over time, with both axes. Below stands the sentence of the moment that the pointer or the arrow keys chose. */
export function LineChart({ label, lines, labels, words, format, ticksOf = axisTicks }: LineChartProps) {
  const [chosen, setChosen] = useState<number>();
  const last = labels.length - 1;
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const ticks = ticksOf(highest);
  const top = ticks.at(-1) ?? 1;
  const x = (nth: number) => ((nth + 0.5) * WIDTH) / labels.length;
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT;
  const press = (event: KeyboardEvent) => {
    const at = chosen ?? last;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(last, next)));
  };
  const every = Math.max(1, Math.ceil(labels.length / LABELS));
  return (
    <figure className="bars-figure">
      <div className="bars-axis" aria-hidden="true">
        {ticks.toReversed().map((tick) => (
          <span key={tick}>{format(tick)}</span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="bars lines"
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys choose a moment, as the pointer does
        tabIndex={0}
        aria-label={`${label}, at most ${format(highest)}`}
        onKeyDown={press}
        onPointerLeave={() => setChosen(undefined)}
        onPointerMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const at = Math.floor(((event.clientX - left) / width) * labels.length);
          setChosen(Math.max(0, Math.min(last, at)));
        }}
      >
        {ticks.map((tick) => (
          <line key={tick} x1={0} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
        ))}
        {chosen === undefined ? undefined : (
          <line className="chosen" x1={x(chosen)} x2={x(chosen)} y1={0} y2={HEIGHT} />
        )}
        {lines.map(({ name, values }, nth) => (
          <path key={name} className={`line-${nth}`} d={pathOf(values, x, y)} />
        ))}
      </svg>
      <div className="bars-labels" aria-hidden="true">
        {labels
          .filter((_, nth) => nth % every === 0)
          .map((text) => (
            <span key={text}>{text}</span>
          ))}
      </div>
      <figcaption className="facts" aria-live="polite">
        {words(chosen ?? last)}
      </figcaption>
    </figure>
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
