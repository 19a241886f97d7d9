import type { operations } from "@nest/protocol";
import { StackedBars } from "../../shared/charts/stacked-bars.tsx";
import { plural } from "../../shared/format/format.ts";

/** How tasks ended, hour by hour, as bars and as a table for people who cannot see the bars. */
export function HourBars({ hours }: { readonly hours: readonly operations.Hour[] }) {
  const bars = hours.map(({ from, completed, no_work_needed, blocked, failed, assigned }) => ({
    key: from,
    label: hourWords(from),
    parts: [
      { value: completed, tone: "good" },
      { value: no_work_needed, tone: "quiet" },
      { value: blocked, tone: "warn" },
      { value: failed, tone: "bad" },
    ] as const,
    words: `${hourWords(from)}: ${plural(completed, "task")} completed, ${no_work_needed} without work, ${blocked} blocked, ${failed} failed, ${assigned} assigned`,
  }));
  return (
    <>
      <StackedBars label="Tasks that ended, by the hour" bars={bars} />
      <details>
        <summary>As a table</summary>
        <HourTable hours={hours} />
      </details>
    </>
  );
}

const columns = [
  ["assigned", "Assigned"],
  ["completed", "Completed"],
  ["verified", "Verified"],
  ["no_work_needed", "No work needed"],
  ["blocked", "Blocked"],
  ["failed", "Failed"],
] as const;

function HourTable({ hours }: { readonly hours: readonly operations.Hour[] }) {
  const busy = hours.filter((hour) => columns.some(([field]) => hour[field] > 0));
  return (
    <div className="table-box">
      <table>
        <thead>
          <tr>
            <th scope="col">Hour</th>
            {columns.map(([field, name]) => (
              <th key={field} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {busy.map((hour) => (
            <tr key={hour.from}>
              <th scope="row">{hourWords(hour.from)}</th>
              {columns.map(([field]) => (
                <td key={field}>{hour[field]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function hourWords(iso: string): string {
  return new Date(iso).toLocaleString("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
}
