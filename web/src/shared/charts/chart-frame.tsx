import "./charts.css";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { plotHeight, plotWidth } from "./plot.ts";

/** As many labels as fit below a chart on a phone. */
const LABELS = 4;

export interface ChartFrameProps {
  /** What the chart shows, with its unit. */
  readonly label: string;
  /** How its drawing looks, beside what all charts have. */
  readonly look?: string;
  /** The ticks of the upright axis, from 0 up. */
  readonly ticks: readonly number[];
  readonly format: (value: number) => string;
  /** What stands below each moment; only some have room for it. */
  readonly moments: readonly { readonly key: string; readonly text: string }[];
  /** A moment's values as a sentence. */
  readonly words: (nth: number) => string;
  /** The moment whose sentence stands there before one is chosen; the last one unless said otherwise. */
  readonly atFirst?: number | undefined;
  /** The drawing; `chosen` is the moment that the pointer or the arrow keys chose. */
  readonly children: (chosen: number | undefined) => ReactNode;
}

/** A chart over time with both axes. Below stands the sentence of the moment that the pointer or the arrow keys chose. */
export function ChartFrame({ label, look = "", ticks, format, moments, words, atFirst, children }: ChartFrameProps) {
  const [chosen, setChosen] = useState<number>();
  const last = moments.length - 1;
  const rest = atFirst ?? last;
  const top = ticks.at(-1) ?? 1;
  const choose = (nth: number) => setChosen(Math.max(0, Math.min(last, nth)));
  const press = (event: KeyboardEvent) => {
    const at = chosen ?? rest;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
  };
  const every = Math.max(1, Math.ceil(moments.length / LABELS));
  return (
    <figure className="bars-figure">
      <div className="bars-axis" aria-hidden="true">
        {ticks.toReversed().map((tick) => (
          <span key={tick}>{format(tick)}</span>
        ))}
      </div>
      <div
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys choose a moment, as the pointer does
        tabIndex={0}
        aria-label={label}
        onKeyDown={press}
        onPointerLeave={() => setChosen(undefined)}
        onPointerMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          choose(Math.floor(((event.clientX - left) / width) * moments.length));
        }}
      >
        <svg
          viewBox={`0 0 ${plotWidth} ${plotHeight}`}
          preserveAspectRatio="none"
          className={`bars ${look}`}
          aria-hidden="true"
        >
          {ticks.map((tick) => (
            <line
              key={tick}
              x1={0}
              x2={plotWidth}
              y1={plotHeight - (tick / top) * plotHeight}
              y2={plotHeight - (tick / top) * plotHeight}
            />
          ))}
          {children(chosen)}
        </svg>
      </div>
      <div className="bars-labels" aria-hidden="true">
        {moments
          .filter((_, nth) => nth % every === 0)
          .map(({ key, text }) => (
            <span key={key}>{text}</span>
          ))}
      </div>
      <figcaption className="facts" aria-live="polite">
        {words(chosen ?? rest)}
      </figcaption>
    </figure>
  );
}
