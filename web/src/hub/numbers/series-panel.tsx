import { Button } from "@mantine/core";
import { type Bar, StackedBars, type Tone } from "../../shared/charts/stacked-bars.tsx";
import { saveAs } from "../../shared/files/save-as.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { csvOf } from "./csv.ts";
import { LineChart } from "./line-chart.tsx";
import { NumberTable } from "./number-table.tsx";

export interface Series {
  readonly name: string;
  /** One a moment; undefined where nothing was measured. */
  readonly values: readonly (number | undefined)[];
  /** The colour of its part of a bar. */
  readonly tone?: Tone;
}

export interface SeriesPanelProps {
  readonly id: string;
  readonly title: string;
  /** What is counted, after the title: `tasks`, `issues`, `%`. */
  readonly unit: string;
  /** Each moment: as it is written in the table, and its address in time in the CSV. */
  readonly moments: readonly { readonly label: string; readonly from: string }[];
  readonly grain: "hour" | "day";
  readonly series: readonly Series[];
  readonly shape: "bars" | "lines";
  readonly format: (value: number) => string;
  readonly ticksOf?: (highest: number) => readonly number[];
  /** Begins the name of the saved file. */
  readonly file: string;
}

/** One figure over time: its chart with a sentence for each moment, the same as a table, and as a file. */
export function SeriesPanel({ id, title, unit, moments, grain, series, shape, format, ...rest }: SeriesPanelProps) {
  const word = (value: number | undefined) => (value === undefined ? "–" : format(value));
  const words = (nth: number) =>
    `${moments[nth]?.label ?? ""}: ${series.map(({ name, values }) => `${name.toLowerCase()} ${word(values[nth])}`).join(", ")}`;
  const label = `${title} by the ${grain}, in ${unit}`;
  const labels = moments.map((moment) => moment.label);
  const save = () => {
    const head = ["from", ...series.map(({ name }) => name)];
    const rows = moments.map(({ from }, nth) => [from, ...series.map(({ values }) => values[nth])]);
    saveAs(`${rest.file}-${id}.csv`, csvOf([head, ...rows]));
  };
  return (
    <Panel
      id={id}
      title={title}
      tally={unit}
      tools={
        <Button variant="default" size="compact-xs" onClick={save} aria-label={`CSV of ${title.toLowerCase()}`}>
          CSV
        </Button>
      }
    >
      <div className="chart">
        <Legend series={series} shape={shape} />
        {shape === "bars" ? (
          <StackedBars label={label} bars={labels.map((text, nth) => barOf(text, nth, series, words(nth)))} />
        ) : (
          <LineChart
            label={label}
            lines={series}
            labels={labels}
            words={words}
            format={format}
            {...(rest.ticksOf === undefined ? {} : { ticksOf: rest.ticksOf })}
          />
        )}
        <details>
          <summary>As a table</summary>
          <NumberTable
            label={label}
            head={[grain === "hour" ? "Hour" : "Day", ...series.map(({ name }) => name)]}
            rows={moments
              .map((moment, nth) => ({
                key: moment.from,
                cells: [moment.label, ...series.map(({ values }) => word(values[nth]))],
                isEmpty: series.every(({ values }) => (values[nth] ?? 0) === 0),
              }))
              .filter(({ isEmpty }) => !isEmpty)
              .toReversed()}
          />
        </details>
      </div>
    </Panel>
  );
}

function barOf(label: string, nth: number, series: readonly Series[], words: string): Bar {
  const parts = series.map(({ values, tone = "good" }) => ({ value: values[nth] ?? 0, tone }));
  return { key: `${label} ${nth}`, label, parts, words };
}

function Legend({ series, shape }: Pick<SeriesPanelProps, "series" | "shape">) {
  if (shape === "bars") {
    return (
      <ul className="line-legend">
        {series.map(({ name, tone = "good" }) => (
          <li key={name} data-swatch={tone}>
            {name}
          </li>
        ))}
      </ul>
    );
  }
  return (
    <ul className="line-legend">
      {series.map(({ name }, nth) => (
        <li key={name}>
          <svg viewBox="0 0 26 10" aria-hidden="true">
            <line className={`key-${nth}`} x1={0} x2={26} y1={5} y2={5} />
          </svg>
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  );
}
