import { type Budget, bearerOf } from "@nest/auth";
import type { Account } from "@nest/codehost";
import {
  type Command,
  type Contributor,
  changeSetting,
  type DeciderPolicy,
  type RoleSetting,
  roleSettingOf,
  rolesOf,
} from "@nest/dispatch";
import { NestError, plainLine } from "@nest/kit";
import { contribute, contributors, leaderboard } from "@nest/protocol";
import type { FastifyRequest } from "fastify";
import { type HubRoutes, isAdmin, type Viewer } from "../access/viewer.ts";
import { pageOf } from "../operations/page-of.ts";
import type { ContributorLimits } from "./contributor-limits.ts";
import type { ContributorReadModel } from "./contributor-read-model.ts";
import { type LeaderboardDeps, leaderboardOf } from "./leaderboard.ts";
import { sendMessage, shownMessages, wireMessage } from "./messages.ts";
import { ownRecord, type Proof, type RegistrationDeps, registerContributor, reissueToken } from "./registration.ts";

export interface ContributorRouteDeps {
  readonly registration: RegistrationDeps;
  readonly readModel: ContributorReadModel;
  readonly limits: ContributorLimits;
  readonly leaderboard: LeaderboardDeps;
  readonly policy: () => DeciderPolicy;
  /** Limits registrations and new tokens from one address, where a login has to be proven. */
  readonly registrations: Budget;
  readonly now: () => number;
}

/** Routes for registration, a contributor's own record, limits and the leaderboard. */
export function registerContributorRoutes(routes: HubRoutes, deps: ContributorRouteDeps): void {
  serveRegistration(routes, deps);
  serveStanding(routes, deps);
  serveAmends(routes, deps);
  serveRoles(routes, deps);
  const { leaderboard: board, now } = deps;
  routes.serve(leaderboard.leaderboard, ({ query }) => {
    const { people, agents } = leaderboardOf(board, query.window, now());
    const { rows, from, next } = pageOf(people, query);
    return {
      window: query.window,
      leaderboard: rows,
      agents: from === 0 ? agents.slice(0, query.limit) : [],
      ...next,
    };
  });
}

/** Extracts what a request proves. A bearer token that this hub issued is never sent to the code host. */
function proofOf(request: FastifyRequest, viewer: Viewer): Proof {
  return {
    bearer: viewer.kind === "anonymous" ? bearerOf(request) : undefined,
    signedIn: viewer.kind === "user" ? accountOf(viewer) : undefined,
    isVouchedFor: isAdmin(viewer),
  };
}

function serveRegistration(
  routes: HubRoutes,
  { registration, registrations, limits, policy, now }: ContributorRouteDeps,
) {
  const throttle = (request: FastifyRequest): void => {
    if (registration.openRegistration()) return;
    registrations.spend(request.ip);
  };
  routes.serve(contribute.register, ({ body, request, viewer }) => {
    throttle(request);
    return registerContributor(body.github_username, proofOf(request, viewer), registration);
  });
  routes.serve(contribute.reissueToken, ({ request, viewer }) => {
    throttle(request);
    return reissueToken(proofOf(request, viewer), registration);
  });
  routes.serve(contribute.limits, ({ viewer }) => {
    const { limits: byTier, disabledTiers } = policy();
    const { ledger } = registration;
    const own = viewer.kind === "contributor" ? ledger.contributor(viewer.contributorId) : undefined;
    const me = viewer.kind === "user" ? ownRecord(ledger, accountOf(viewer)) : own;
    const you = me === undefined ? undefined : limits.own(me, now());
    return {
      ...(you === undefined ? {} : { you }),
      tiers: Object.entries(byTier).map(([tier, limit]) => ({
        tier,
        enabled: !disabledTiers.has(tier as Contributor["tier"]),
        ...limit,
      })),
    };
  });
}

function accountOf({ login, accountId }: Extract<Viewer, { kind: "user" }>): Account {
  return { login, ...(accountId === undefined ? {} : { id: accountId }) };
}

function serveStanding(routes: HubRoutes, deps: ContributorRouteDeps): void {
  const { readModel } = deps;
  routes.serve(contributors.contributors, ({ query }) => readModel.list(query));
  routes.serve(contributors.contributor, async ({ params, query }) => {
    const one = known(deps, params.id);
    const limits = deps.limits.own(one, deps.now());
    return {
      contributor: readModel.row(one),
      ...(limits === undefined ? {} : { limits }),
      messages: shownMessages(deps.registration.ledger, one.id, deps.now()),
      ...(await readModel.history(one, query.limit, query.cursor)),
    };
  });
  routes.serve(contributors.setTrust, async ({ params, body, actor }) => {
    await done(deps, { kind: "trust", contributorId: known(deps, params.id).id, tier: body.tier, actor });
    return { ok: true as const, trust_tier: body.tier };
  });
  routes.serve(contributors.revoke, async ({ params, actor }) => {
    await done(deps, { kind: "revoke", contributorId: known(deps, params.id).id, actor });
    return { ok: true as const };
  });
  routes.serve(contributors.disconnect, async ({ params, body, actor }) => {
    const contributorId = known(deps, params.id).id;
    await done(deps, { kind: "disconnect", contributorId, connection: body.connection_id, actor });
    return { ok: true as const };
  });
  routes.serve(contributors.requeue, async ({ params, body, actor }) => {
    const { reason, task_id: taskId, session } = body ?? {};
    const contributorId = known(deps, params.id).id;
    const released = await done(deps, { kind: "requeue", contributorId, taskId, session, reason, actor });
    return { ok: true as const, released: [...released] };
  });
}

/** What an admin does for somebody again: access, work after failures, a word. */
function serveAmends(routes: HubRoutes, deps: ContributorRouteDeps): void {
  routes.serve(contributors.unrevoke, async ({ params, body, actor }) => {
    const one = known(deps, params.id);
    const reason = plainLine(body.reason);
    await done(deps, { kind: "unrevoke", contributorId: one.id, reason, actor });
    return { ok: true as const, trust_tier: known(deps, one.id).tier };
  });
  routes.serve(contributors.endFailurePause, async ({ params, actor }) => {
    const one = known(deps, params.id);
    await done(deps, { kind: "end_failure_pause", contributorId: one.id, actor });
    return { ok: true as const };
  });
  routes.serve(contributors.sendMessage, async ({ params, body, actor }) => {
    const { text, task_id: taskId } = body;
    const { registration, now } = deps;
    const message = await sendMessage({ ...registration, now }, known(deps, params.id), { text, taskId }, actor);
    return { ok: true as const, message: wireMessage(message) };
  });
}

function serveRoles(routes: HubRoutes, deps: ContributorRouteDeps): void {
  const { ledger } = deps.registration;
  const change = (one: Contributor, actor: string, to: (before: RoleSetting) => RoleSetting): Promise<void> =>
    changeSetting(deps.registration, { name: roleSettingOf(one.id), actor }, () => {
      const before = rolesOf(ledger, one.id);
      const after = to(before);
      const audit = { action: "agent role", subject: one.login, before: shown(before), after: shown(after) } as const;
      return { value: after, audit };
    });
  routes.serve(contributors.setAgentRole, async ({ params, body, actor }) => {
    const assigned = body.agent_role ?? undefined;
    await change(known(deps, params.id), actor, (before) => ({ ...before, assigned }));
    return { ok: true as const, agent_role: body.agent_role };
  });
  routes.serve(contributors.setAgentRoleGrants, async ({ params, body, actor }) => {
    const grants = [...new Set(body.agent_role_grants)];
    await change(known(deps, params.id), actor, (before) => ({ ...before, grants }));
    return { ok: true as const, agent_role_grants: grants };
  });
}

function shown({ assigned, grants }: RoleSetting): object {
  return { agent_role: assigned ?? null, agent_role_grants: grants };
}

/** Finds a contributor by id or login. */
function known({ registration: { ledger } }: ContributorRouteDeps, id: string | undefined): Contributor {
  const found = ledger.contributor(id ?? "") ?? ledger.contributorByLogin(id ?? "");
  if (found === undefined) throw new NestError("not_found", "no such contributor");
  return found;
}

/** Submits a command and returns the ids of the tasks that it released. */
async function done({ registration }: ContributorRouteDeps, command: Command): Promise<readonly string[]> {
  const effects = await registration.batcher.ask(command);
  const refused = effects.find((effect) => effect.kind === "refused");
  if (refused !== undefined)
    throw new NestError(refused.code === "not_found" ? "not_found" : "conflict", refused.because);
  return effects.find((effect) => effect.kind === "done")?.released ?? [];
}
