import {
  type CommandBatcher,
  changeSetting,
  type Ledger,
  PAUSE_PREFIX,
  type Pause,
  type PauseScope,
  pauseOf,
  pauseSettingOf,
} from "@nest/dispatch";
import { NestError, plainLine } from "@nest/kit";
import { pauses } from "@nest/protocol";
import type { HubRoutes } from "../access/viewer.ts";
import { type PauseEffectDeps, pauseEffect } from "./pause-effect.ts";

export interface PauseRouteDeps extends PauseEffectDeps {
  readonly batcher: CommandBatcher;
  /** The monitored repositories. */
  readonly repositories: () => readonly { readonly repo: string }[];
  readonly now: () => number;
}

/** Routes to pause contributors, single relays, repositories, or everybody, with a note and an end; each change is audited. */
export function registerPauseRoutes(routes: HubRoutes, deps: PauseRouteDeps): void {
  const { ledger, now } = deps;
  routes.serve(pauses.pauses, () => ({ pauses: pausesIn(ledger, now()) }));
  routes.serve(pauses.pauseEffect, async ({ query }) => {
    const scope = pauses.PauseScope.safeParse(given(query));
    if (!scope.success) throw new NestError("bad_request", "this does not name what is to be paused");
    return pauseEffect(known(scope.data, ledger), deps);
  });
  routes.serve(pauses.setPause, async ({ body, actor }) => {
    const scope = served(known(body.scope, ledger), deps);
    const until = body.until === undefined ? null : Date.parse(body.until);
    if (until !== null && until <= now()) throw new NestError("bad_request", "until: is over already");
    const pause: Pause = { note: plainLine(body.note), until, by: actor, at: now() };
    await change(deps, scope, pause, actor);
    return { ok: true as const, pause: shown(body.scope, pause, ledger) };
  });
  routes.serve(pauses.endPause, async ({ body, actor }) => {
    const ended = await change(deps, known(body.scope, ledger), undefined, actor);
    const was = ended === undefined ? {} : { pause: shown(body.scope, ended, ledger) };
    return { ok: true as const, ended: ended !== undefined, ...was };
  });
}

/** Leaves out what is undefined: the scopes name nothing that is not theirs. */
function given(query: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

/** @throws NestError `not_found` for a repository that this hub does not serve. */
function served(scope: PauseScope, { repositories }: PauseRouteDeps): PauseScope {
  if (scope.kind !== "repository") return scope;
  const wanted = scope.repo.toLowerCase();
  if (!repositories().some(({ repo }) => repo.toLowerCase() === wanted))
    throw new NestError("not_found", `this hub does not serve ${scope.repo}`);
  return scope;
}

/** The pauses that hold now, the newest first. */
export function pausesIn(ledger: Ledger, now: number): pauses.Pause[] {
  return ledger
    .settingsOf(PAUSE_PREFIX)
    .flatMap(([name]) => {
      const scope = scopeIn(name.slice(PAUSE_PREFIX.length));
      const pause = scope === undefined ? undefined : pauseOf(ledger, known(scope, ledger), now);
      return scope === undefined || pause === undefined ? [] : [shown(scope, pause, ledger)];
    })
    .sort((one, other) => other.at.localeCompare(one.at));
}

/** Sets a pause or ends it. Returns the one that held before. */
async function change(
  { ledger, batcher, now }: PauseRouteDeps,
  scope: PauseScope,
  pause: Pause | undefined,
  actor: string,
): Promise<Pause | undefined> {
  const name = pauseSettingOf(scope);
  const subject = subjectOf(scope, ledger);
  let held: Pause | undefined;
  await changeSetting({ ledger, batcher }, { name, actor }, (before) => {
    held = pauseOf(ledger, scope, now());
    if (before === undefined && pause === undefined) return undefined;
    const action = pause === undefined ? "pause ended" : "paused";
    const words = { before: wordsOf(before as Pause | undefined), after: wordsOf(pause) };
    return { value: pause, audit: { action, subject, ...words } };
  });
  return held;
}

/** What a pause is about, as the audit names it: people by their login. */
function subjectOf(scope: PauseScope, ledger: Ledger): string {
  const loginOf = (id: string) => ledger.contributor(id)?.login ?? id;
  switch (scope.kind) {
    case "everything":
      return "everything";
    case "contributor":
      return `contributor:${loginOf(scope.contributorId)}`;
    case "session": {
      const [id = "", session = ""] = scope.identity.split("#");
      return `session:${loginOf(id)}#${session}`;
    }
    case "repository":
      return `repository:${scope.repo.toLowerCase()}`;
  }
}

function wordsOf(pause: Pause | undefined): string | null {
  if (pause === undefined) return null;
  const end = pause.until === null ? "until ended" : `until ${new Date(pause.until).toISOString()}`;
  return pause.note === "" ? end : `${end}: ${pause.note}`;
}

/** @throws NestError `not_found` for a contributor whom nobody knows. */
function known(scope: pauses.PauseScope, ledger: Ledger): PauseScope {
  if (scope.kind === "everything" || scope.kind === "repository") return scope;
  const { contributor_id: contributorId } = scope;
  if (ledger.contributor(contributorId) === undefined) throw new NestError("not_found", "no such contributor");
  return scope.kind === "contributor"
    ? { kind: "contributor", contributorId }
    : { kind: "session", identity: `${contributorId}#${scope.session}` };
}

/** What a setting's name says: `everything`, `contributor:ID`, `session:ID#NAME`, `repository:OWNER/NAME`. */
function scopeIn(name: string): pauses.PauseScope | undefined {
  if (name === "everything") return { kind: "everything" };
  if (name.startsWith("repository:")) return { kind: "repository", repo: name.slice("repository:".length) };
  const [, kind, contributor_id = "", session] = /^(contributor|session):([^#]+)(?:#(.+))?$/.exec(name) ?? [];
  if (kind === "contributor") return { kind, contributor_id };
  return kind === "session" && session !== undefined ? { kind, contributor_id, session } : undefined;
}

function shown(scope: pauses.PauseScope, { note, until, by, at }: Pause, ledger: Ledger): pauses.Pause {
  const login = "contributor_id" in scope ? ledger.contributor(scope.contributor_id)?.login : undefined;
  return {
    scope,
    ...(login === undefined ? {} : { github_username: login }),
    note,
    ...(until === null ? {} : { until: new Date(until).toISOString() }),
    by,
    at: new Date(at).toISOString(),
  };
}
