import { type Ledger, PAUSE_PREFIX, REPOSITORY_PAUSE_PREFIX } from "./ledger.ts";

/** An admin's pause: nobody in its scope is given work until it ends. What is under way goes on. */
export interface Pause {
  /** Why, in the admin's words; told to relays. */
  readonly note: string;
  /** When it ends by itself (ms); null: when an admin ends it. */
  readonly until: number | null;
  readonly by: string;
  readonly at: number;
}

/**
 * What a pause is about: everybody, one contributor, one machine of a contributor (its identity, see `Lease.identity`), or one
 * repository, whose issues are then offered to nobody.
 */
export type PauseScope =
  | { readonly kind: "everything" }
  | { readonly kind: "contributor"; readonly contributorId: string }
  | { readonly kind: "session"; readonly identity: string }
  | { readonly kind: "repository"; readonly repo: string };

/** A scope in which relays are paused; of a repository, issues are. */
type RelayScope = Exclude<PauseScope, { kind: "repository" }>;

/** The setting that holds a scope's pause. */
export function pauseSettingOf(scope: PauseScope): string {
  switch (scope.kind) {
    case "everything":
      return `${PAUSE_PREFIX}everything`;
    case "contributor":
      return `${PAUSE_PREFIX}contributor:${scope.contributorId}`;
    case "session":
      return `${PAUSE_PREFIX}session:${scope.identity}`;
    case "repository":
      return `${REPOSITORY_PAUSE_PREFIX}${scope.repo.toLowerCase()}`;
  }
}

/** The pause of a scope that holds now; one that is over is none. */
export function pauseOf(ledger: Pick<Ledger, "setting">, scope: PauseScope, now: number): Pause | undefined {
  const pause = ledger.setting(pauseSettingOf(scope)) as Pause | undefined;
  return pause === undefined || (pause.until !== null && pause.until <= now) ? undefined : pause;
}

/** The widest pause that holds for a relay now. */
export function pauseFor(
  ledger: Pick<Ledger, "setting">,
  relay: { readonly contributorId: string; readonly identity: string },
  now: number,
): { readonly scope: RelayScope["kind"]; readonly pause: Pause } | undefined {
  return (
    held(ledger, { kind: "everything" }, now) ??
    held(ledger, { kind: "contributor", contributorId: relay.contributorId }, now) ??
    held(ledger, { kind: "session", identity: relay.identity }, now)
  );
}

function held(ledger: Pick<Ledger, "setting">, scope: RelayScope, now: number): ReturnType<typeof pauseFor> {
  const pause = pauseOf(ledger, scope, now);
  return pause === undefined ? undefined : { scope: scope.kind, pause };
}
