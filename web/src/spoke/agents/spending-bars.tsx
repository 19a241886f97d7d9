import { Progress } from "@mantine/core";
import type { nestAgents } from "@nest/protocol";
import { usesOf } from "./spending.ts";

/** What was used today against what may be: a bar for each limit, plain numbers where there is none. */
export function SpendingBars({ spending, whose }: { readonly spending: nestAgents.Spending; readonly whose: string }) {
  return (
    <ul className="spending">
      {usesOf(spending).map(({ name, used, limit, share }) => (
        <li key={name}>
          <span className="line">
            <span className="soft">{name}</span>
            <span className="number">{limit === undefined ? used : `${used} of ${limit}`}</span>
          </span>
          {share === undefined ? undefined : (
            <Progress
              value={share * 100}
              size="sm"
              color={share >= 1 ? "red" : share >= 0.8 ? "yellow" : "nest"}
              aria-label={`${name} of ${whose} today: ${used} of ${limit}`}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
