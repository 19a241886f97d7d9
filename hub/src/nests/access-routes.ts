import { NestError } from "@nest/kit";
import { type AuditEvent, nests } from "@nest/protocol";
import type { UserStore } from "../access/users.ts";
import type { HubRoutes } from "../access/viewer.ts";
import { loginOf, nestFor, type ReadNest } from "./asker.ts";
import type { NestPeople } from "./nest-people.ts";

export interface AccessRouteDeps {
  readonly readNest: ReadNest;
  readonly users: UserStore;
  readonly people: NestPeople;
  readonly audit: (actor: string, event: AuditEvent) => Promise<void>;
  /** Whether a login may be asked for at all: the code host's form of one. */
  readonly isLogin: (login: string) => boolean;
}

/** Who has which role on a nest, and who asks for one. */
export function registerNestAccessRoutes(routes: HubRoutes, deps: AccessRouteDeps): void {
  const { readNest, users, people, audit } = deps;
  const of = (id: string, least: "owner" | "read", viewer: Parameters<typeof nestFor>[0]["viewer"]) =>
    nestFor({ id, viewer, least }, { readNest, users });

  routes.serve(nests.access, async ({ params: { id = "" }, viewer }) => {
    const { nest } = await of(id, "owner", viewer);
    return { access: await people.of(nest), requests: [...(await people.requests(id))] };
  });

  routes.serve(nests.grant, async ({ params: { id = "" }, body, viewer, actor }) => {
    const { giver } = await of(id, "owner", viewer);
    const username = checked(body.username, deps);
    const before = await people.grant(id, giver, { username, role: body.role });
    const words = (role: string | undefined) => (role === undefined ? null : `${username}: ${role}`);
    await audit(actor, { action: "nest access", subject: id, before: words(before), after: words(body.role) });
    return { status: "granted" as const, username, role: body.role };
  });

  routes.serve(nests.revoke, async ({ params: { id = "", username = "" }, viewer, actor }) => {
    const { giver } = await of(id, "owner", viewer);
    const before = await people.revoke(id, giver, checked(username, deps));
    await audit(actor, { action: "nest access", subject: id, before: `${username}: ${before}`, after: null });
    return { status: "revoked" as const, username };
  });

  routes.serve(nests.requestAccess, async ({ params: { id = "" }, viewer }) => {
    const login = loginOf(viewer);
    // The same answer whether or not there is such a nest: ids cannot be tried out.
    await people.request(id, login).catch((thrown: unknown) => {
      if (!(thrown instanceof NestError) || thrown.code !== "nest_not_found") throw thrown;
    });
    return { status: "requested" as const };
  });

  routes.serve(nests.denyRequest, async ({ params: { id = "", username = "" }, viewer }) => {
    await of(id, "owner", viewer);
    await people.deny(id, checked(username, deps));
    return { status: "denied" as const };
  });
}

function checked(username: string, { isLogin }: AccessRouteDeps): string {
  if (!isLogin(username)) throw new NestError("bad_request", "username: not a login of the code host");
  return username;
}
