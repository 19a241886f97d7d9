import type { Entry } from "@nest/dispatch";
import type { Visibility } from "./visibility.ts";

type Withheld = NonNullable<Entry["withheld"]>;

/**
 * Why an issue is withheld, as far as somebody may know it: a pull request of a repository that they may not see has no name, and which
 * operator did something is for operators.
 */
export function shownWithheld({ by, ...reason }: Withheld, visibility: Visibility): Withheld {
  const withheld = by !== undefined && visibility.seesOperators === true ? { ...reason, by } : reason;
  if (withheld.reason !== "claimed" || withheld.detail === undefined) return withheld;
  const [, repo] = /([^/]+\/[^/]+)\/pull\/\d+$/.exec(withheld.detail) ?? [];
  return repo !== undefined && visibility(repo) ? withheld : { ...withheld, detail: undefined };
}
