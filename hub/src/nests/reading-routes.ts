import { type HostedNestRecord, nests } from "@nest/protocol";
import type { Provisioner, RecordStore } from "@nest/provisioner";
import type { FastifyRequest } from "fastify";
import type { UserStore } from "../access/users.ts";
import { type HubRoutes, sameViewer, type Viewer } from "../access/viewer.ts";
import type { FleetRegistry } from "../fleet/registry.ts";
import { pageOf } from "../operations/page-of.ts";
import { nestFor, personOf } from "./asker.ts";
import type { DriftWatch } from "./drift-watch.ts";
import { myNests } from "./my-nests.ts";
import type { NestPeople } from "./nest-people.ts";
import type { NestStream } from "./nest-stream.ts";
import { detailOf, type NestFacts, rowOf, shortRow } from "./nest-view.ts";
import { givenRole, type Person, roleOn } from "./roles.ts";

export interface ReadingRouteDeps {
  readonly records: RecordStore;
  readonly provisioner: Provisioner;
  readonly users: UserStore;
  readonly people: NestPeople;
  readonly registry: FleetRegistry;
  readonly drift: DriftWatch;
  readonly stream: NestStream;
  /** Who asks now, because a session may have ended since. */
  readonly viewerOf: (request: FastifyRequest) => Promise<Viewer>;
}

/** The nests that somebody may see: as a list, one with its steps, live, and as YAML for who applies it by hand. */
export function registerReadingRoutes(routes: HubRoutes, deps: ReadingRouteDeps): void {
  const { records, provisioner, users, registry, stream } = deps;
  const of = (id: string, viewer: Viewer, least: "read" | "owner" = "read") =>
    nestFor({ id, viewer, least }, { readNest: (one) => records.get(one), users });

  routes.serve(nests.mine, async ({ query, viewer }) => {
    const person = await personOf(viewer, users);
    const { limit, cursor, ...filter } = query;
    const { matching, total, byStatus, used } = myNests(await records.list(), person, filter, {
      heardAt: (id) => Date.parse(registry.entryOf(id)?.lastHeartbeat ?? "") || 0,
      isOnline: (id) => registry.entryOf(id)?.online === true,
      differences: (id) => deps.drift.of(id).length,
    });
    const { rows, next } = pageOf(matching, { limit, cursor });
    const quota = person.user === undefined ? undefined : (await users.read(person.login))?.saas_quota;
    return {
      nests: await Promise.all(
        rows.map(async (record) => shortRow(rowOf(record, await factsOf(record, person, deps)))),
      ),
      ...next,
      matched: matching.length,
      total,
      by_status: { ...byStatus },
      is_admin: person.isAdmin,
      ...(quota === undefined || quota < 0 ? {} : { saas_quota: quota }),
      saas_used: used,
    };
  });

  routes.serve(nests.read, async ({ params: { id = "" }, viewer }) => {
    const { nest, person } = await of(id, viewer);
    return wholeOf(nest, person, deps);
  });

  routes.serve(nests.status, async ({ params: { id = "" }, viewer }) => {
    const { nest } = await of(id, viewer);
    const position = provisioner.position(id);
    return {
      id,
      status: nest.status,
      ...(nest.error === undefined ? {} : { error: nest.error }),
      steps: nest.steps,
      ...(position === undefined ? {} : { queue_position: position }),
    };
  });

  routes.serve(nests.manifests, async ({ params: { id = "" }, viewer, reply }) => {
    await of(id, viewer, "owner");
    return reply.type("application/yaml; charset=utf-8").send(await provisioner.manifestsOf(id));
  });

  routes.serve(nests.compare, async ({ params: { id = "" }, viewer }) => {
    await of(id, viewer, "owner");
    return { id, drift: [...(await deps.drift.look(id))] };
  });

  routes.serve(nests.events, async ({ params: { id = "" }, viewer, request, reply }) => {
    await of(id, viewer);
    if (request.method === "HEAD") return reply.type("text/event-stream; charset=utf-8").send();
    reply.hijack();
    const login = viewer.kind === "user" ? viewer.login : "";
    const look = async () => {
      if (!sameViewer(viewer, await deps.viewerOf(request))) return undefined;
      const person = await personOf(viewer, users);
      const nest = await records.read(id);
      return nest === undefined || roleOn(nest, person) === undefined ? undefined : wholeOf(nest, person, deps);
    };
    await stream.watch(reply.raw, { nestId: id, login, look });
    return reply;
  });
}

async function wholeOf(nest: HostedNestRecord, person: Person, deps: ReadingRouteDeps): Promise<nests.NestDetail> {
  return detailOf(nest, {
    ...(await factsOf(nest, person, deps)),
    position: deps.provisioner.position(nest.id),
  });
}

async function factsOf(nest: HostedNestRecord, person: Person, deps: ReadingRouteDeps): Promise<NestFacts> {
  const role = givenRole(nest, person);
  const isOwner = roleOn(nest, person) === "owner";
  return {
    role,
    heard: deps.registry.entryOf(nest.id),
    requests: isOwner ? (await deps.people.requests(nest.id)).length : 0,
    drift: deps.drift.of(nest.id),
  };
}
