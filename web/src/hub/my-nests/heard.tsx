import { Button } from "@mantine/core";
import { fleet, type nests } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, duration, plural } from "../../shared/format/format.ts";
import { openDialog } from "../../shared/forms/dialogs.tsx";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { useIsAdmin } from "../../shared/session/session.ts";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";

/** Whether heartbeats of a nest are expected: of one that is being made, or is paused, none comes; the last one is still fresh. */
export function isExpected({ status, online }: nests.NestRow): boolean {
  if (status === "paused") return false;
  return online || status === "running" || status === "error";
}

/** Whether a nest's heartbeats arrive, where they should. Admins are told why not when they ask. */
export function Heard({ nest }: { readonly nest: nests.NestRow }) {
  const isAdmin = useIsAdmin();
  const { id, online } = nest;
  if (!isExpected(nest)) return undefined;
  if (online)
    return (
      <span className="state" data-state="ready">
        online
      </span>
    );
  return (
    <>
      <span className="state" data-state="failing">
        offline
      </span>
      {isAdmin ? (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Why is ${id} offline?`}
          onClick={() => openWhyOffline(id)}
        >
          why?
        </Button>
      ) : undefined}
    </>
  );
}

/** When a nest was heard of last. */
export function LastHeard({ nest: { last_heartbeat: at } }: { readonly nest: nests.NestRow }) {
  const now = useServerNow();
  return <span>{at === undefined ? "never heard of" : `heard ${duration(now - Date.parse(at))} ago`}</span>;
}

function openWhyOffline(id: string): void {
  openDialog({ title: "Why is it offline?", children: <WhyOffline id={id} /> });
}

function WhyOffline({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["offline", id],
    queryFn: async ({ signal }) => (await call(fleet.explainOffline, { params: { id }, signal })).value,
    staleTime: 0,
    gcTime: 0,
  });
  if (error !== null) return <LoadFailed problem={error} again={() => void refetch()} />;
  if (data === undefined) return <Loading rows={3} />;
  return (
    <div className="card">
      <p>
        <bdi>{data.because}</bdi>.
      </p>
      <Facts>
        <Fact name="Nest">{id}</Fact>
        <Fact name="Last heard">{data.last_heartbeat === undefined ? "never" : dateAndTime(data.last_heartbeat)}</Fact>
        <Fact name="Refused">
          {data.rejected === 0 ? "no heartbeat" : plural(data.rejected, "heartbeat")}
          {data.last_rejected === undefined ? "" : `, the last at ${dateAndTime(data.last_rejected)}`}
        </Fact>
      </Facts>
    </div>
  );
}
