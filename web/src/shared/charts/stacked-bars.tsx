import { count } from "../format/format.ts";
import { axisTicks } from "./axis.ts";
import { ChartFrame } from "./chart-frame.tsx";
import { plotHeight, plotWidth } from "./plot.ts";

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

const GAP = 0.22;

/** Stacked bars over time. */
export function StackedBars({ label, bars }: StackedBarsProps) {
  const highest = Math.max(0, ...bars.map(heightOf));
  const ticks = axisTicks(highest);
  const top = ticks.at(-1) ?? 1;
  const step = plotWidth / Math.max(1, bars.length);
  return (
    <ChartFrame
      label={`${label}, at most ${count(highest)} in one`}
      ticks={ticks}
      format={count}
      moments={bars.map(({ key, label: text }) => ({ key, text }))}
      words={(nth) => bars[nth]?.words ?? "Nothing yet."}
    >
      {(chosen) =>
        bars.map((bar, nth) => (
          <g key={bar.key} data-chosen={nth === chosen || undefined}>
            <rect className="under" x={nth * step} y={0} width={step} height={plotHeight} />
            <Parts bar={bar} x={nth * step + (step * GAP) / 2} width={step * (1 - GAP)} scale={plotHeight / top} />
          </g>
        ))
      }
    </ChartFrame>
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
    return (
      <rect key={tone} className={tone} x={x} y={plotHeight - below * scale} width={width} height={value * scale} />
    );
  });
}

function heightOf({ parts }: Bar): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}
