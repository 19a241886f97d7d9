import "./charts.css";
import { type KeyboardEvent, useState } from "react";
import { count } from "../format/format.ts";
import { axisTicks } from "./axis.ts";

/** The meaning of a colour, the same in bars and legend. */
export type Tone = "good" | "warn" | "bad" | "quiet";

export interface Bar {
  readonly key: string;
  /** The label below the bar; only some bars have room for it. */
  readonly label: string;
  /** From the ground up. */
  readonly parts: readonly { readonly value: number; readonly tone: Tone }[];
  /** The bar's values as a sentence. */
  readonly words: string;
}

export interface StackedBarsProps {
  /** What the chart shows, with its unit: `Tasks by the hour`. */
  readonly label: string;
  readonly bars: readonly Bar[];
}

const HEIGHT = 120;
const WIDTH = 720;
const GAP = 0.22;
/** As many labels as fit below the bars on a phone. */
const LABELS = 4;

/** A stacked bar chart over time, with both axes. Below stands the sentence of the bar that the pointer or the arrow keys chose. */
export function StackedBars({ label, bars }: StackedBarsProps) {
  const [chosen, setChosen] = useState<number>();
  const last = bars.length - 1;
  const ticks = axisTicks(Math.max(0, ...bars.map(heightOf)));
  const top = ticks.at(-1) ?? 1;
  const step = WIDTH / Math.max(1, bars.length);
  const bar = bars[chosen ?? last];
  const press = (event: KeyboardEvent) => {
    const at = chosen ?? last;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(last, next)));
  };
  return (
    <figure className="bars-figure">
      <div className="bars-axis" aria-hidden="true">
        {ticks.toReversed().map((tick) => (
          <span key={tick}>{count(tick)}</span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="bars"
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys choose a bar, as the pointer does
        tabIndex={0}
        aria-label={`${label}, at most ${count(Math.max(0, ...bars.map(heightOf)))} in one`}
        onKeyDown={press}
        onPointerLeave={() => setChosen(undefined)}
        onPointerMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const at = Math.floor(((event.clientX - left) / width) * bars.length);
          setChosen(Math.max(0, Math.min(last, at)));
        }}
      >
        {ticks.map((tick) => (
          <line key={tick} x1={0} x2={WIDTH} y1={HEIGHT - (tick / top) * HEIGHT} y2={HEIGHT - (tick / top) * HEIGHT} />
        ))}
        {bars.map((one, nth) => (
          <g key={one.key} data-chosen={nth === chosen || undefined}>
            <rect className="under" x={nth * step} y={0} width={step} height={HEIGHT} />
            <Parts bar={one} x={nth * step + (step * GAP) / 2} width={step * (1 - GAP)} scale={HEIGHT / top} />
          </g>
        ))}
      </svg>
      <div className="bars-labels" aria-hidden="true">
        {labelled(bars).map(({ key, label: text }) => (
          <span key={key}>{text}</span>
        ))}
      </div>
      <figcaption className="facts" aria-live="polite">
        {bar?.words ?? "Nothing yet."}
      </figcaption>
    </figure>
  );
}

interface PartsProps {
  readonly bar: Bar;
  readonly x: number;
  readonly width: number;
  readonly scale: number;
}

function Parts({ bar, x, width, scale }: PartsProps) {
  let below = 0;
  return bar.parts.map(({ value, tone }) => {
    below += value;
    return <rect key={tone} className={tone} x={x} y={HEIGHT - below * scale} width={width} height={value * scale} />;
  });
}

function heightOf({ parts }: Bar): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}

/** The bars that get a label: evenly spaced, beginning with the first. */
function labelled(bars: readonly Bar[]): readonly Bar[] {
  const every = Math.max(1, Math.ceil(bars.length / LABELS));
  return bars.filter((_, nth) => nth % every === 0);
}
