import { Button } from "@mantine/core";
import { CallError } from "../src/shared/call/call.ts";
import { StackedBars } from "../src/shared/charts/stacked-bars.tsx";
import { Counter, Counters } from "../src/shared/layout/counters.tsx";
import { Fact, Facts } from "../src/shared/layout/facts.tsx";
import { PageIndex } from "../src/shared/layout/page-index.tsx";
import { Panel } from "../src/shared/layout/panel.tsx";
import { ErrorBoundary } from "../src/shared/states/error-boundary.tsx";
import { Empty, LoadFailed, Loading, NotFound } from "../src/shared/states/states.tsx";
import { connection } from "../src/shared/stream/event-stream.ts";
import { attempt, showError, showToast } from "../src/shared/toast/toast.tsx";
import type { ShownPart } from "./specimen.tsx";

export const aProblem = new CallError(503, {
  error: "the code host cannot be reached",
  code: "code_host_unreachable",
  hint: "try again in a minute",
});
const long = "a-name-that-is-as-long-as-names-of-strangers-can-be-".repeat(3);

function Breaks(): never {
  throw new Error("broken on purpose");
}

function hoursOf(count: number) {
  return Array.from({ length: count }, (_, nth) => ({
    key: String(nth),
    label: `${nth % 24}:00`,
    parts: [
      { value: (nth * 7) % 13, tone: "good" },
      { value: nth % 5 === 0 ? 2 : 0, tone: "warn" },
      { value: nth % 7 === 0 ? 3 : 0, tone: "bad" },
    ] as const,
    words: `${nth}:00: ${(nth * 7) % 13} good`,
  }));
}

export const stateParts: readonly ShownPart[] = [
  {
    name: "States",
    states: {
      loading: <Loading />,
      empty: <Empty>No issue is on offer right now.</Empty>,
      error: <LoadFailed problem={aProblem} again={() => {}} />,
      "error that nobody foresaw": <LoadFailed problem={new TypeError("x is undefined")} />,
      broken: (
        <ErrorBoundary>
          <Breaks />
        </ErrorBoundary>
      ),
      "no such page": <NotFound />,
    },
  },
  {
    name: "Connection",
    states: {
      "in the bar above": (
        <div className="card-acts">
          {(["live", "connecting", "offline", "silent"] as const).map((state) => (
            <Button
              key={state}
              variant="default"
              onClick={() => connection.set({ state, lastHeardAt: Date.now() - 60_000 })}
            >
              {state}
            </Button>
          ))}
        </div>
      ),
    },
  },
  {
    name: "Toasts",
    states: {
      each: (
        <div className="card-acts">
          <Button variant="default" onClick={() => showToast("It was done.")}>
            Done
          </Button>
          <Button variant="default" onClick={() => showToast("It was done.", async () => {})}>
            Done, can be undone
          </Button>
          <Button variant="default" onClick={() => showError(aProblem)}>
            Failed
          </Button>
          <Button
            variant="default"
            onClick={() => attempt(() => new Promise((done) => setTimeout(done, 3000)), "Done.")}
          >
            Takes three seconds
          </Button>
        </div>
      ),
    },
  },
  {
    name: "Panel, counters, facts, page index",
    states: {
      usual: (
        <Panel id="panel-usual" title="Panel" tally="12" tools={<Button size="compact-sm">A tool</Button>}>
          <PageIndex sections={[["panel-usual", "This panel"]]} />
          <Counters>
            <Counter name="On offer" value={1242} />
            <Counter name="Not known yet" value={undefined} />
            <Counter name="Connected" value="now" />
          </Counters>
          <Facts>
            <Fact name="Model">claude-sonnet-5</Fact>
            <Fact name="Protocol">1.2, current</Fact>
          </Facts>
        </Panel>
      ),
      long: (
        <Panel id="panel-long" title={`Panel ${long}`} tally="1,242,000">
          <Facts>
            <Fact name={long}>{long}</Fact>
          </Facts>
        </Panel>
      ),
    },
  },
  {
    name: "Charts",
    states: {
      empty: <StackedBars label="Tasks by the hour" bars={[]} />,
      day: <StackedBars label="Tasks by the hour" bars={hoursOf(24)} />,
      week: <StackedBars label="Tasks by the hour" bars={hoursOf(168)} />,
    },
  },
];
