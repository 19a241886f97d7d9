import { NestError } from "@nest/kit";
import { apiTokens } from "@nest/protocol";
import { type ApiTokenRecord, type ApiTokens, prefixOf } from "./api-tokens.ts";
import type { Identity } from "./identity.ts";
import type { HubRoutes } from "./viewer.ts";

export interface ApiTokenRouteDeps {
  readonly tokens: ApiTokens;
  readonly identity: Identity;
}

/** API tokens for automation: shown, made and revoked by admins, never by a token. */
export function registerApiTokenRoutes(routes: HubRoutes, { tokens, identity }: ApiTokenRouteDeps): void {
  const shown = async (record: ApiTokenRecord): Promise<apiTokens.ApiToken> => {
    const usedAt = tokens.usedAt(record.id);
    const isPowerless = !(await identity.isMadeByAdmin(record));
    return {
      id: record.id,
      name: record.name,
      scope: record.scope,
      prefix: prefixOf(record.id),
      made_by: record.madeBy,
      made_at: iso(record.madeAt),
      ...(record.endsAt === undefined ? {} : { ends_at: iso(record.endsAt) }),
      ...(usedAt === undefined ? {} : { used_at: iso(usedAt) }),
      state: tokens.hasEnded(record) ? "ended" : isPowerless ? "powerless" : "active",
    };
  };

  routes.serve(apiTokens.list, async ({ reply }) => {
    reply.header("cache-control", "no-store");
    return { tokens: await Promise.all(tokens.all().map(shown)) };
  });

  routes.serve(apiTokens.make, async ({ body, viewer, reply }) => {
    if (viewer.kind !== "user")
      throw new NestError("forbidden", "only an admin who is signed in can make an API token", {
        hint: "sign in at /login and open /tokens: a token makes no other",
      });
    if (body.never_ends === true && body.days !== undefined)
      throw new NestError("bad_request", "days: not together with never_ends");
    const days = body.never_ends === true ? undefined : (body.days ?? apiTokens.TOKEN_DAYS);
    const { name, scope } = body;
    const { token, record } = await tokens.make({
      name,
      scope,
      days,
      madeBy: viewer.login,
      madeByAccount: viewer.accountId,
    });
    reply.header("cache-control", "no-store");
    return { token, about: await shown(record) };
  });

  routes.serve(apiTokens.revoke, async ({ params: { id = "" }, actor }) => {
    await tokens.revoke(id, actor);
    return { ok: true as const };
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
