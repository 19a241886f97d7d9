import { PageIndex } from "../../shared/layout/page-index.tsx";
import { WrongNow } from "../alerts/open-alerts.tsx";
import { PausesPanel } from "../pauses/pauses-panel.tsx";
import { ActivityPanel } from "./activity-panel.tsx";
import { Controls } from "./controls.tsx";
import { HubCounters } from "./hub-counters.tsx";
import { QueuePanel } from "./queue-panel.tsx";
import { RelaysPanel } from "./relays-panel.tsx";
import { RepositoriesPanel } from "./repositories-panel.tsx";
import { TasksPanel } from "./tasks-panel.tsx";
import { ThroughputPanel } from "./throughput-panel.tsx";

const parts = [
  ["queue", "Queue"],
  ["relays", "Relays"],
  ["tasks", "Tasks"],
  ["activity", "Activity"],
  ["throughput", "Throughput"],
] as const;

/** What the hub is doing, and the controls for admins. Everybody may look; only admins see the controls. */
export function Operations() {
  return (
    <>
      <div className="page-head">
        <h1>Operations</h1>
        <Controls />
      </div>
      <WrongNow />
      <HubCounters />
      <PausesPanel />
      <PageIndex sections={parts} />
      <div className="columns">
        <div className="stack">
          <QueuePanel />
          <TasksPanel />
          <ThroughputPanel />
        </div>
        <div className="stack">
          <RelaysPanel />
          <ActivityPanel />
          <RepositoriesPanel />
        </div>
      </div>
    </>
  );
}
