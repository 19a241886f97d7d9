import { backup, health } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../../shared/call/call.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";

/** The state of this nest in a few facts. */
export function Overview() {
  const alive = useQuery({
    queryKey: ["livez"],
    queryFn: async ({ signal }) => (await call(health.livez, { signal })).value,
  });
  const state = useQuery({
    queryKey: ["backup"],
    queryFn: async ({ signal }) => (await call(backup.backupStatus, { signal })).value,
  });
  return (
    <>
      <div className="page-head">
        <h1>Overview</h1>
      </div>
      <Panel id="health" title="Health">
        <Answer query={alive}>{alive.data?.status === "ok" ? "This nest does its work." : alive.data?.detail}</Answer>
      </Panel>
      <Panel id="backup" title="Backup">
        <Answer query={state}>
          {state.data?.available === true ? "This nest can be backed up." : `No backup: ${state.data?.reason ?? ""}`}
        </Answer>
      </Panel>
    </>
  );
}

interface AnswerProps {
  readonly query: { readonly data: unknown; readonly error: unknown; readonly refetch: () => unknown };
  readonly children: ReactNode;
}

function Answer({ query: { data, error, refetch }, children }: AnswerProps) {
  if (data !== undefined) return <p className="pad">{children}</p>;
  return error === null ? <Loading rows={1} /> : <LoadFailed problem={error} again={() => void refetch()} />;
}
