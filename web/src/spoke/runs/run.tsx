import { nestRuns } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { z } from "zod";
import { call } from "../../shared/call/call.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, duration } from "../../shared/format/format.ts";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { AgentLink } from "../links/agent-link.tsx";
import { WebLink } from "../links/web-link.tsx";
import { OutcomeMark } from "./outcome-mark.tsx";
import { diffWords, linkWords, triggerWords, usageWords } from "./run-words.ts";

/** The terminal is large and only this page needs it. */
const Player = lazy(() => import("./replay/player.tsx").then(({ Player: loaded }) => ({ default: loaded })));

type Details = z.infer<typeof nestRuns.run.reply>;

/** One run: what it was told, what became of it, and its recording. */
export function RunPage() {
  const { id = "" } = useParams({ strict: false }) as { readonly id?: string };
  const { data, error, refetch } = useQuery({
    queryKey: ["run", id],
    queryFn: async ({ signal }) => (await call(nestRuns.run, { params: { id }, signal })).value,
  });
  return (
    <>
      <p className="crumb">
        <Link to="/runs">Runs</Link>
      </p>
      {data !== undefined ? (
        <RunDetails run={data} />
      ) : (
        <>
          <div className="page-head">
            <h1>Run</h1>
          </div>
          {error === null ? <Loading rows={8} /> : <LoadFailed problem={error} again={() => void refetch()} />}
        </>
      )}
    </>
  );
}

function RunDetails({ run }: { readonly run: Details }) {
  const { id, title, issue, outcome, summary, ended_at: ended, prompt, environment, last_lines: lines } = run;
  const hasRecording = ended === undefined || (run.recording_bytes ?? 0) > 0;
  return (
    <>
      <div className="page-head">
        <h1>
          <bdi>{title ?? issue ?? "A run without an issue"}</bdi>
        </h1>
        <OutcomeMark outcome={outcome} />
      </div>
      {summary === undefined ? undefined : (
        <p className="summary">
          <bdi>{summary}</bdi>
        </p>
      )}
      <div className="stack">
        <Panel id="recording" title="Recording" tally={ended === undefined ? "of a run that goes on" : undefined}>
          {hasRecording ? (
            <div className="pad">
              <Suspense fallback={<Loading rows={6} />}>
                <Player id={id} isGoingOn={ended === undefined} />
              </Suspense>
            </div>
          ) : (
            <Empty>There is no recording of this run, or it is no longer kept.</Empty>
          )}
        </Panel>
        <div className="columns">
          <Panel id="facts" title="About this run">
            <div className="pad">
              <RunFacts run={run} />
            </div>
          </Panel>
          <Panel id="environment" title="Environment" tally="names only">
            {environment.length === 0 ? (
              <Empty>It was given no variables.</Empty>
            ) : (
              <ul className="names">
                {environment.map((name) => (
                  <li key={name}>
                    <code>{name}</code>
                  </li>
                ))}
              </ul>
            )}
          </Panel>
        </div>
        <LongText id="prompt" title="What it was told" text={prompt} empty="The prompt is not kept." />
        <LongText
          id="last-lines"
          title="Its last lines"
          text={lines.join("\n")}
          empty={ended === undefined ? "The run goes on." : "It printed nothing."}
        />
      </div>
    </>
  );
}

function RunFacts({ run }: { readonly run: Details }) {
  const now = useServerNow();
  const { agent, backend, model, issue, links, diff, usage, started_at: began, ended_at: ended } = run;
  const length = (ended === undefined ? now : Date.parse(ended)) - Date.parse(began);
  return (
    <Facts>
      <Fact name="Agent">
        <AgentLink name={agent} />, {backend}
        {model === undefined ? "" : ` with ${model}`}
      </Fact>
      {issue === undefined ? undefined : (
        <Fact name="Issue">
          <Link to="/runs" search={{ issue } as never}>
            {issue}
          </Link>
        </Fact>
      )}
      <Fact name="Began">
        {dateAndTime(began)}, {triggerWords(run)}
      </Fact>
      <Fact name={ended === undefined ? "Goes on" : "Took"}>
        {ended === undefined ? "for " : ""}
        {duration(length)}
      </Fact>
      <Fact name="Links">
        {links.length === 0
          ? "none"
          : links.map((address) => (
              <span key={address} className="one-line">
                <WebLink href={address}>{linkWords(address)}</WebLink>
              </span>
            ))}
      </Fact>
      <Fact name="Changes">{diff === undefined ? "not known" : diffWords(diff)}</Fact>
      <Fact name="Used">{usage === undefined ? "not reported by its CLI" : usageWords(usage)}</Fact>
    </Facts>
  );
}

interface LongTextProps {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly empty: string;
}

function LongText({ id, title, text, empty }: LongTextProps) {
  return (
    <Panel id={id} title={title}>
      {text.trim() === "" ? (
        <Empty>{empty}</Empty>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard scrolls what has the focus
        <section className="long-text" tabIndex={0} aria-label={title}>
          <pre>{text}</pre>
        </section>
      )}
    </Panel>
  );
}
