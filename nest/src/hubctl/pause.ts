import { UsageError } from "@nest/kit";
import { contributors, pauses } from "@nest/protocol";
import { endOf } from "./end-of.ts";
import { noWords, oneWord, show, table } from "./shown.ts";
import type { Verb, VerbCall } from "./verb.ts";

const list: Verb = async (call) => {
  noWords(call);
  const { value } = await call.hub.call(pauses.pauses);
  show(call, value.pauses, () =>
    table(
      ["WHAT", "UNTIL", "BY", "SINCE", "NOTE"],
      value.pauses.map((one) => [wordsOf(one), one.until ?? "somebody ends it", one.by, one.at, one.note]),
    ),
  );
  return 0;
};

const set: Verb = async (call) => {
  const what = oneWord(call, "contributor, owner/name of a repository, or everything");
  const { note = "", until } = call.flags;
  const scope = await scopeOf(call, what);
  const end = until === undefined ? {} : { until: endOf(until, call.now()) };
  const { value } = await call.hub.call(pauses.setPause, { body: { scope, note, ...end } });
  show(
    call,
    value.pause,
    () => `${wordsOf(value.pause)} is paused, until ${value.pause.until ?? "somebody ends it"}\n`,
  );
  return 0;
};

const end: Verb = async (call) => {
  const scope = await scopeOf(call, oneWord(call, "contributor, owner/name of a repository, or everything"));
  const { value } = await call.hub.call(pauses.endPause, { body: { scope } });
  show(call, value, () => (value.ended ? "the pause is ended\n" : "there was no such pause\n"));
  return 0;
};

/** `everything`, a repository as `owner/name`, else a contributor by login or id, or with `-session` one relay of theirs. */
async function scopeOf(call: VerbCall, what: string): Promise<pauses.PauseScope> {
  const { session } = call.flags;
  const checked = pauses.PauseScope.safeParse(
    what === "everything"
      ? { kind: "everything" }
      : what.includes("/")
        ? { kind: "repository", repo: what }
        : await contributorScope(call, what, session),
  );
  if (checked.success) return checked.data;
  throw new UsageError(`${what}: not what this release can pause: ${checked.error.issues[0]?.message ?? ""}`);
}

async function contributorScope(call: VerbCall, login: string, session: string | undefined): Promise<object> {
  const { contributor } = (
    await call.hub.call(contributors.contributor, { params: { id: login }, query: { limit: 1 } })
  ).value;
  const { contributor_id } = contributor;
  return session === undefined ? { kind: "contributor", contributor_id } : { kind: "session", contributor_id, session };
}

function wordsOf({ scope, github_username: login }: pauses.Pause): string {
  const { contributor_id: id, session, repo } = scope as Readonly<Record<string, string | undefined>>;
  if (repo !== undefined) return repo;
  if (id === undefined) return scope.kind;
  return session === undefined ? (login ?? id) : `${login ?? id} on ${session}`;
}

export const pauseVerbs: Readonly<Record<string, Verb>> = { list, set, end };
