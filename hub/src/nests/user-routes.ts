import { NestError } from "@nest/kit";
import { type AuditEvent, type HostedNestRecord, nests } from "@nest/protocol";
import type { UserRecord, UserStore } from "../access/users.ts";
import type { HubRoutes } from "../access/viewer.ts";
import { pageOf } from "../operations/page-of.ts";
import { usedBy } from "./my-nests.ts";

export interface UserRouteDeps {
  readonly users: UserStore;
  readonly listNests: () => Promise<readonly HostedNestRecord[]>;
  readonly isAdmin: (user: UserRecord) => boolean;
  readonly audit: (actor: string, event: AuditEvent) => Promise<void>;
  /** Called when somebody was blocked: what they have open ends. */
  readonly onBlocked: () => void;
}

/** Everybody who has signed in, with quota and block, for admins. */
export function registerUserRoutes(routes: HubRoutes, deps: UserRouteDeps): void {
  const { users, listNests, audit } = deps;
  const shown = (user: UserRecord, records: readonly HostedNestRecord[]): nests.User => ({
    github_username: user.github_username,
    ...(user.created_at === undefined ? {} : { created_at: user.created_at }),
    ...(user.last_login === undefined ? {} : { last_login: user.last_login }),
    nests: user.nests,
    ...(user.saas_quota === undefined || user.saas_quota < 0 ? {} : { saas_quota: user.saas_quota }),
    saas_used: usedBy(records, user.github_username),
    blocked: user.blocked,
    is_admin: deps.isAdmin(user),
  });

  routes.serve(nests.users, async ({ query: { q = "", limit, cursor } }) => {
    const wanted = q.trim().toLowerCase();
    const all = (await users.all()).filter((user) => user.github_username.toLowerCase().includes(wanted));
    const { rows, next } = pageOf(all, { limit, cursor });
    const records = await listNests();
    return { users: rows.map((user) => shown(user, records)), matched: all.length, ...next };
  });

  routes.serve(nests.setUser, async ({ params: { login = "" }, body, actor }) => {
    const before = await users.read(login);
    if (before === undefined) throw new NestError("not_found", "nobody with this login has ever signed in");
    if (body.blocked === true && deps.isAdmin(before))
      throw new NestError("conflict", "a hub admin cannot be blocked", {
        hint: "take the login out of NEST_HUB_ADMINS first",
      });
    const after = await users.change(login, (user) => changed(user, body));
    await audit(actor, { action: "user", subject: after.github_username, before: facts(before), after: facts(after) });
    if (after.blocked && !before.blocked) deps.onBlocked();
    return shown(after, await listNests());
  });
}

function changed(user: UserRecord, body: { saas_quota?: number | null | undefined; blocked?: boolean | undefined }) {
  const { saas_quota: _before, ...rest } = user;
  const kept = user.saas_quota === undefined ? {} : { saas_quota: user.saas_quota };
  const quota = body.saas_quota === undefined ? kept : body.saas_quota === null ? {} : { saas_quota: body.saas_quota };
  return { ...rest, ...quota, blocked: body.blocked ?? user.blocked };
}

function facts({ saas_quota: quota, blocked }: UserRecord): object {
  return { saas_quota: quota ?? null, blocked };
}
