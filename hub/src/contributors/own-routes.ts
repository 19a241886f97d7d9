import type { CommandBatcher, Contributor, Ledger } from "@nest/dispatch";
import { NestError } from "@nest/kit";
import { type contribute, myContributions } from "@nest/protocol";
import type { HubRoutes, Viewer } from "../access/viewer.ts";
import type { ContributorLimits } from "./contributor-limits.ts";
import type { ContributorReadModel } from "./contributor-read-model.ts";
import { shownMessages } from "./messages.ts";
import { ownRecord } from "./registration.ts";

export interface OwnRouteDeps {
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly readModel: ContributorReadModel;
  readonly limits: ContributorLimits;
  /** The connected relays of a contributor, on every replica. */
  readonly relaysOf: (contributorId: string) => readonly contribute.FleetRelay[];
  readonly now: () => number;
}

/** What contributors see and do about themselves. Nobody reaches another's record here: it is found by who asks. */
export function registerOwnRoutes(routes: HubRoutes, deps: OwnRouteDeps): void {
  const { ledger, batcher, readModel, limits, relaysOf, now } = deps;
  routes.serve(myContributions.mine, async ({ viewer, query }) => {
    const one = recordOf(viewer, ledger);
    if (one === undefined) return { sessions: [], messages: [], history: [] };
    const own = limits.own(one, now());
    return {
      contributor: readModel.row(one),
      ...(own === undefined ? {} : { limits: own }),
      sessions: [...relaysOf(one.id)],
      messages: shownMessages(ledger, one.id, now()),
      ...(await readModel.history(one, query.limit, query.cursor)),
    };
  });
  routes.serve(myContributions.disconnectMine, async ({ viewer, body, actor }) => {
    const one = recordOf(viewer, ledger);
    if (one === undefined) throw new NestError("not_found", "you are not registered as a contributor");
    if (!relaysOf(one.id).some(({ connection_id: id }) => id === body.connection_id))
      throw new NestError("not_found", "no relay of yours has this connection");
    await batcher.ask({ kind: "disconnect", contributorId: one.id, connection: body.connection_id, actor });
    return { ok: true as const };
  });
}

/** The record of who asks; undefined for somebody who never registered. */
export function recordOf(viewer: Viewer, ledger: Ledger): Contributor | undefined {
  if (viewer.kind === "contributor") return ledger.contributor(viewer.contributorId);
  if (viewer.kind !== "user") return undefined;
  const { login, accountId: id } = viewer;
  return ownRecord(ledger, { login, ...(id === undefined ? {} : { id }) });
}
