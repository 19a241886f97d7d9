import { pauses } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { showToast } from "../../shared/toast/toast.tsx";

/** What is paused, and how people call it. */
export interface PauseTarget {
  readonly scope: pauses.PauseScope;
  readonly name: string;
}

/** Ends a pause. The undo sets one with the same note and end, where nobody has set another one meanwhile. */
export async function endPause({ scope, name }: PauseTarget): Promise<void> {
  const { pause } = (await call(pauses.endPause, { body: { scope } })).value;
  await reread();
  const again = async (note: string, until: { readonly until?: string }) => {
    const others = (await call(pauses.pauses)).value.pauses;
    const isPausedAnew = others.some((other) => JSON.stringify(other.scope) === JSON.stringify(scope));
    if (!isPausedAnew) await call(pauses.setPause, { body: { scope, note, ...until } });
    await reread();
  };
  const { note, until } = pause ?? {};
  showToast(
    `The pause of ${name} is over.`,
    note === undefined ? undefined : () => again(note, until === undefined ? {} : { until }),
  );
}

/** Reads anew what shows pauses. */
export async function reread(): Promise<void> {
  await Promise.all(["pauses", "contributor", "issue"].map((name) => queries.invalidateQueries({ queryKey: [name] })));
}

/** The pauses that hold now, for admins; the newest first. */
export function usePauses(isAdmin: boolean): readonly pauses.Pause[] {
  const { data } = useQuery({
    queryKey: ["pauses"],
    queryFn: async ({ signal }) => (await call(pauses.pauses, { signal })).value.pauses,
    enabled: isAdmin,
  });
  return data ?? [];
}

/** What a pause is about, in words. */
export function nameOf({ scope, github_username: login }: Pick<pauses.Pause, "scope" | "github_username">): string {
  switch (scope.kind) {
    case "everything":
      return "everybody";
    case "repository":
      return scope.repo;
    case "contributor":
      return login ?? scope.contributor_id;
    case "session":
      return `${scope.session} of ${login ?? scope.contributor_id}`;
  }
}
