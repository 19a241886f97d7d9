import { Button } from "@mantine/core";
import { type contribute, type contributors, myContributions } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { dateAndTime } from "../../shared/format/format.ts";
import { Counter, Counters } from "../../shared/layout/counters.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { History } from "../contributors/history.tsx";
import { Limits } from "../contributors/limits.tsx";
import { PausedBadge } from "../contributors/paused-badge.tsx";
import { TierBadge } from "../contributors/tier-badge.tsx";
import { Messages } from "../messages/messages.tsx";
import { OwnRelays } from "./own-relays.tsx";
import { OwnToken } from "./own-token.tsx";

const ROWS = 50;
/** No stream reports what is only one's own. */
const AGAIN_MS = 10_000;

/** How somebody stands as a contributor: tier and limits, their relays, their tasks, their token. */
export function Me() {
  const { pages, problem, again, more } = usePages(
    ["me"],
    (cursor, signal) => call(myContributions.mine, { query: { limit: ROWS, cursor: cursor || undefined }, signal }),
    () => AGAIN_MS,
  );
  if (problem !== undefined) return <LoadFailed problem={problem} again={again} />;
  const [first] = pages ?? [];
  if (pages === undefined || first === undefined) return <Loading rows={8} />;
  const { contributor: one, limits, sessions, messages } = first;
  if (one === undefined) return <NotRegistered />;
  return (
    <>
      <Head one={one} />
      {one.pause === undefined ? undefined : (
        <p className="notice">
          An admin has paused you{one.pause.until === undefined ? "" : ` until ${dateAndTime(one.pause.until)}`}
          {one.pause.note === "" ? "." : ": "}
          <bdi>{one.pause.note}</bdi> What is under way goes on.
        </p>
      )}
      <Standing one={one} limits={limits} />
      <Messages messages={messages} />
      <div className="columns">
        <div className="stack">
          {limits === undefined ? undefined : <Limits limits={limits} />}
          <OwnToken />
        </div>
        <div className="stack">
          <OwnRelays relays={sessions} again={again} />
          <History
            tasks={pages.flatMap((page) => page.history)}
            more={more}
            empty="You were given no task yet. A relay that is connected gets the first one by itself."
          />
        </div>
      </div>
    </>
  );
}

function Head({ one }: { readonly one: contributors.ContributorRow }) {
  return (
    <>
      <div className="page-head">
        <h1>
          My contributions <TierBadge name={one.trust_tier} /> <PausedBadge one={one} />
        </h1>
        <Button component="a" href="/contribute" variant="default">
          How to start a relay
        </Button>
      </div>
      <Counters>
        <Counter name="Verified pull requests" value={one.total_tasks_completed_with_pr} />
        <Counter name="Finished tasks" value={one.total_tasks_completed} />
        <Counter name="Failed" value={one.total_tasks_failed} />
        <Counter name="Connected" value={one.active ? "now" : "no"} />
      </Counters>
    </>
  );
}

interface StandingProps {
  readonly one: contributors.ContributorRow;
  readonly limits: contribute.OwnLimits | undefined;
}

function Standing({ one, limits }: StandingProps) {
  const { tier, missing } = limits?.next_tier ?? {};
  const next =
    tier === undefined
      ? "No further tier comes by itself."
      : missing === 0
        ? `The next verified pull request makes you ${tier}.`
        : `${missing} more verified pull request${missing === 1 ? "" : "s"} make you ${tier}.`;
  const said =
    one.trust_tier === "revoked"
      ? "An admin of this hub has taken your access away: your relays cannot connect. Ask them why."
      : next;
  return (
    <p className="soft small under-counters">
      Registered as <bdi>{one.github_username}</bdi> {dateAndTime(one.registered_at)}. {said}
    </p>
  );
}

function NotRegistered() {
  return (
    <div className="lead closed">
      <h1>My contributions</h1>
      <p>You are signed in, and not registered as a contributor here yet. One command on your machine does it.</p>
      <Button component="a" href="/contribute">
        Show me how
      </Button>
    </div>
  );
}
