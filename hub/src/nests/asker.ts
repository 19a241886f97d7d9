import { NestError } from "@nest/kit";
import { type HostedNestRecord, isRoleAtLeast, type NestRole } from "@nest/protocol";
import type { UserStore } from "../access/users.ts";
import { isAdmin, type Viewer } from "../access/viewer.ts";
import type { Giver } from "./nest-people.ts";
import { type Person, roleOn } from "./roles.ts";

/** Reads a nest's record. @throws NestError `nest_not_found` */
export type ReadNest = (id: string) => Promise<HostedNestRecord>;

/** Who asks about nests, with what the hub keeps of them. */
export async function personOf(viewer: Viewer, users: Pick<UserStore, "read">): Promise<Person> {
  if (viewer.kind !== "user") return { login: "", user: undefined, isAdmin: isAdmin(viewer) };
  return { login: viewer.login, user: await users.read(viewer.login), isAdmin: viewer.isAdmin };
}

/** Whether somebody who is signed in with a session may act as a person; the admin token and contributors' tokens may not. */
export function loginOf(viewer: Viewer): string {
  if (viewer.kind === "user") return viewer.login;
  throw new NestError("forbidden", "only somebody who is signed in can do this", {
    hint: "sign in at /login: a token has no nests of its own",
  });
}

/**
 * A nest, for somebody with at least this role on it. To others a nest does not exist, so that ids cannot be tried out.
 *
 * @throws NestError `nest_not_found`, `forbidden`
 */
export async function nestFor(
  { id, viewer, least }: { readonly id: string; readonly viewer: Viewer; readonly least: NestRole },
  deps: { readonly readNest: ReadNest; readonly users: Pick<UserStore, "read"> },
): Promise<{ readonly nest: HostedNestRecord; readonly person: Person; readonly giver: Giver }> {
  const person = await personOf(viewer, deps.users);
  const nest = await deps.readNest(id);
  const role = roleOn(nest, person);
  if (role === undefined) throw new NestError("nest_not_found", "nest not found");
  if (!isRoleAtLeast(role, least))
    throw new NestError("forbidden", `this needs the role ${least} on the nest, yours is ${role}`, {
      hint: "an owner of the nest can give you more",
    });
  return { nest, person, giver: { role, isAdmin: person.isAdmin } };
}
