import { health } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { duration } from "../../shared/format/format.ts";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { useVisitor } from "../session/session.ts";
import { readDeepChecks } from "./deep-checks.ts";
import { fetchPlain } from "./fetch-plain.ts";

const EVERY_MS = 15_000;
const DEEP = "/api/health/deep";
const DIAGNOSTICS = "/api/diagnostics";

/** Whether this nest does its work, as it says itself: nothing here is worked out by the page. */
export function Health() {
  return (
    <>
      <div className="page-head">
        <h1>Health</h1>
      </div>
      <div className="stack">
        <Alive />
        <DeepChecks />
        <Diagnostics />
      </div>
    </>
  );
}

function Alive() {
  const now = useServerNow();
  const server = useQuery({
    queryKey: ["health"],
    queryFn: async ({ signal }) => (await call(health.health, { signal })).value,
    refetchInterval: EVERY_MS,
    retry: false,
  });
  const work = useQuery({
    queryKey: ["livez"],
    queryFn: ({ signal }) => readLiveness(signal),
    refetchInterval: EVERY_MS,
  });
  return (
    <Panel id="alive" title="Alive">
      <div className="pad">
        <Facts>
          <Fact name="Answers">
            {server.data === undefined && server.error === null ? (
              "…"
            ) : server.error === null ? (
              <Verdict isGood words="yes" />
            ) : (
              <Verdict isGood={false} words="no" />
            )}
          </Fact>
          <Fact name="Does its work">
            {work.data === undefined ? (
              work.error === null ? (
                "…"
              ) : (
                "not known: it does not answer"
              )
            ) : (
              <>
                <Verdict isGood={work.data.status === "ok"} words={work.data.status === "ok" ? "yes" : "no"} />{" "}
                {work.data.detail}
              </>
            )}
          </Fact>
          <Fact name="Looked at">
            {work.dataUpdatedAt === 0 ? "not yet" : `${duration(Math.max(0, now - work.dataUpdatedAt))} ago`}
          </Fact>
        </Facts>
      </div>
    </Panel>
  );
}

/** An unhealthy nest says so with status 503 and the same body. */
async function readLiveness(signal: AbortSignal) {
  const { text } = await fetchPlain(health.livez.path, signal);
  return health.livez.reply.parse(JSON.parse(text));
}

function DeepChecks() {
  const { data, error, refetch } = useQuery({
    queryKey: ["deep"],
    queryFn: async ({ signal }) => {
      const { status, text } = await fetchPlain(DEEP, signal);
      return status === 404 ? [] : readDeepChecks(text);
    },
    refetchInterval: EVERY_MS * 2,
    retry: false,
  });
  return (
    <Panel id="checks" title="Checks">
      {data === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <LoadFailed problem={error} again={() => void refetch()} />
        )
      ) : data.length === 0 ? (
        <Empty>This release of the nest makes no further checks.</Empty>
      ) : (
        <ul className="plain-list">
          {data.map(({ name, isGood, status, detail }) => (
            <li key={name}>
              <p className="line">
                <b>{name}</b>
                <Verdict isGood={isGood} words={status} />
              </p>
              {detail === "" ? undefined : (
                <p className="soft small">
                  <bdi>{detail}</bdi>
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** The bundle is its owner's: nobody else asks for it. */
function Diagnostics() {
  const isOwner = useVisitor()?.may.configure === true;
  const { data } = useQuery({
    enabled: isOwner,
    queryKey: ["diagnostics"],
    queryFn: async ({ signal }) => (await fetchPlain(DIAGNOSTICS, signal, "HEAD")).status,
    retry: false,
  });
  if (!isOwner || data === undefined || data >= 300) return undefined;
  return (
    <Panel id="diagnostics" title="Diagnostics">
      <p className="pad">
        <a href={DIAGNOSTICS} download>
          Download the diagnostics bundle
        </a>
        <br />
        <span className="soft small">
          What this nest says of itself: versions, configuration and state, without its secrets.
        </span>
      </p>
    </Panel>
  );
}

function Verdict({ isGood, words }: { readonly isGood: boolean; readonly words: string }) {
  return (
    <span className="state" data-state={isGood ? "in-progress" : "failing"}>
      {words}
    </span>
  );
}
