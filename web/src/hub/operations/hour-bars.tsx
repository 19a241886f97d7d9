import type { operations } from "@nest/protocol";
import { useState } from "react";
import { plural } from "../../shared/format/format.ts";

const HEIGHT = 120;
const WIDTH = 720;
const GAP = 0.22;

/** A bar an hour: what was completed, and above it what failed. The hour under the pointer is said below. */
export function HourBars({ hours }: { readonly hours: readonly operations.Hour[] }) {
  const [chosen, setChosen] = useState<number>();
  const most = Math.max(1, ...hours.map((hour) => hour.completed + hour.failed));
  const step = WIDTH / Math.max(1, hours.length);
  const scale = HEIGHT / most;
  const hour = hours[chosen ?? hours.length - 1];
  return (
    <figure>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="bars"
        role="img"
        aria-label={`Tasks by the hour, at most ${most} in one`}
        onPointerLeave={() => setChosen(undefined)}
        onPointerMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const at = Math.floor(((event.clientX - left) / width) * hours.length);
          setChosen(Math.max(0, Math.min(hours.length - 1, at)));
        }}
      >
        {hours.map(({ from, completed, failed }, nth) => {
          const x = nth * step + (step * GAP) / 2;
          const width = step * (1 - GAP);
          const good = completed * scale;
          const bad = failed * scale;
          return (
            <g key={from} data-chosen={nth === chosen || undefined}>
              <rect className="under" x={nth * step} y={0} width={step} height={HEIGHT} />
              <rect className="good" x={x} y={HEIGHT - good} width={width} height={good} />
              <rect className="bad" x={x} y={HEIGHT - good - bad} width={width} height={bad} />
            </g>
          );
        })}
      </svg>
      <figcaption className="facts">
        {hour === undefined
          ? ""
          : `${hourWords(hour.from)}: ${plural(hour.completed, "task")} completed, ${hour.failed} failed, ${hour.assigned} assigned`}
      </figcaption>
      <details>
        <summary>As a table</summary>
        <div className="table-box">
          <table>
            <thead>
              <tr>
                <th scope="col">Hour</th>
                <th scope="col">Assigned</th>
                <th scope="col">Completed</th>
                <th scope="col">Failed</th>
                <th scope="col">Verified</th>
              </tr>
            </thead>
            <tbody>
              {hours
                .filter((one) => one.assigned + one.completed + one.failed + one.verified > 0)
                .map((one) => (
                  <tr key={one.from}>
                    <th scope="row">{hourWords(one.from)}</th>
                    <td>{one.assigned}</td>
                    <td>{one.completed}</td>
                    <td>{one.failed}</td>
                    <td>{one.verified}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function hourWords(iso: string): string {
  return new Date(iso).toLocaleString("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
}
