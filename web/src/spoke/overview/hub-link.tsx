import { nestWork } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { duration } from "../../shared/format/format.ts";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { WebLink } from "../links/web-link.tsx";
import { hubLinkWords } from "./hub-link-words.ts";

/** A heartbeat goes out every two minutes: its outcome is read again from time to time. */
const EVERY_MS = 30_000;

/** Which nest this is, and whether its hub hears it. */
export function AboutPanel() {
  const now = useServerNow();
  const { data, error, refetch } = useQuery({
    queryKey: ["status"],
    queryFn: async ({ signal }) => (await call(nestWork.status, { signal })).value,
    refetchInterval: EVERY_MS,
  });
  return (
    <Panel id="about" title="This nest">
      {data === undefined ? (
        error === null ? (
          <Loading rows={3} />
        ) : (
          <LoadFailed problem={error} again={() => void refetch()} />
        )
      ) : (
        <div className="pad">
          <Facts>
            <Fact name="Nest">{data.nest_id}</Fact>
            <Fact name="Version">{data.version}</Fact>
            {data.org === undefined ? undefined : <Fact name="Organisation">{data.org}</Fact>}
            {data.primary_repo === undefined ? undefined : <Fact name="Main repository">{data.primary_repo}</Fact>}
            <Fact name="Hub">
              {data.hub === undefined ? (
                "it reports to none"
              ) : (
                <>
                  <WebLink href={data.hub.url}>{data.hub.url}</WebLink>
                  <br />
                  <HeartbeatWords hub={data.hub} now={now} />
                </>
              )}
            </Fact>
          </Facts>
        </div>
      )}
    </Panel>
  );
}

function HeartbeatWords({ hub, now }: { readonly hub: Parameters<typeof hubLinkWords>[0]; readonly now: number }) {
  const { words, isGood } = hubLinkWords(hub);
  const last = hub.last_accepted_at;
  return (
    <>
      <span className="state" data-state={isGood ? "in-progress" : "away"}>
        {words}
      </span>
      <span className="soft small">
        {last === undefined
          ? " No heartbeat was accepted since this nest started."
          : ` Last accepted ${duration(now - Date.parse(last))} ago.`}
      </span>
    </>
  );
}
