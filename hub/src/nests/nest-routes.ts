import { KeyedLock, NestError } from "@nest/kit";
import { type AuditEvent, type HostedNestRecord, nests } from "@nest/protocol";
import { authShapeOf, type Provisioner, type RecordStore } from "@nest/provisioner";
import type { UserStore } from "../access/users.ts";
import { actorOf, type HubRoutes, type Viewer } from "../access/viewer.ts";
import { loginOf, nestFor, personOf } from "./asker.ts";
import { usedBy } from "./my-nests.ts";

export interface NestRouteDeps {
  readonly records: RecordStore;
  readonly provisioner: Provisioner;
  readonly users: UserStore;
  readonly audit: (actor: string, event: AuditEvent) => Promise<void>;
  /** The cluster of a nest that names none; undefined when there is no cluster at all. */
  readonly defaultCluster: () => Promise<string | undefined>;
  /** Takes a deleted nest out of everybody's record and of the registry. */
  readonly forget: (nestId: string) => Promise<void>;
  /** Tells the registry whether everybody sees a nest. */
  readonly setVisible: (nestId: string, isPublic: boolean) => void;
  /** Ends what a request waits for on a cluster. */
  readonly patienceMs: number;
}

type Action = "nest upgraded" | "nest paused" | "nest resumed" | "nest repaired" | "nest moved";

/** What changes nests: create, claim, and every operation on one (spec: Hub operations on a hosted instance). */
export function registerNestRoutes(routes: HubRoutes, deps: NestRouteDeps): void {
  const { records, provisioner, audit } = deps;
  const quotas = new KeyedLock();

  routes.serve(nests.create, async ({ body, viewer, actor }) => {
    const owner = loginOf(viewer);
    const cluster = body.cluster_id ?? (await deps.defaultCluster());
    if (cluster === undefined || cluster === "")
      throw new NestError("bad_request", "cluster_id: this hub has no cluster of its own", {
        hint: "an admin adds one under Clusters; then name it",
      });
    const { record: auth, secrets } = authShapeOf(body);
    const project = projectOf(body);
    // One after the other, so that two at once do not both take the last place.
    const made = await quotas.run(owner.toLowerCase(), async () => {
      await checkQuota(owner, viewer, deps);
      return provisioner.create({ owner, clusterId: cluster, project, auth, secrets, by: actor });
    });
    await audit(actor, { action: "nest created", subject: made.id, before: null, after: { cluster, ...project } });
    return { ...standing(made), subdomain: made.subdomain, ...manualSteps(made) };
  });

  routes.serve(nests.claim, async ({ params: { id = "" }, body, actor }) => {
    const { record: auth, secrets } = authShapeOf(body);
    const project = projectOf(body);
    const claimed = await provisioner.claim(id, { owner: body.owner, project, auth, secrets, by: actor });
    await audit(actor, { action: "nest claimed", subject: id, before: null, after: { owner: body.owner, ...project } });
    return { ...standing(claimed), subdomain: claimed.subdomain };
  });

  routes.serve(nests.remove, async ({ params: { id = "" }, query, viewer, actor }) => {
    await asOwner(id, viewer, deps);
    if (query.confirm !== undefined && query.confirm !== id)
      throw new NestError("bad_request", "confirm: is not the id of this nest", { hint: "type the nest's id whole" });
    const before = await records.get(id);
    const { leftovers } = await provisioner.deprovision(id, actor);
    await deps.forget(id);
    await audit(actor, { action: "nest deleted", subject: id, before: facts(before), after: null });
    return { id, status: "deleting", leftovers: [...leftovers] };
  });

  registerOperations(routes, deps);
  registerSwitches(routes, deps);
}

/** Every operation on a nest that takes its time; the record says how far it is. */
function registerOperations(routes: HubRoutes, deps: NestRouteDeps): void {
  const { provisioner, audit } = deps;
  const operate = async (
    action: Action,
    { id, viewer }: { readonly id: string; readonly viewer: Viewer },
    act: (actor: string) => Promise<HostedNestRecord>,
    after: (record: HostedNestRecord) => unknown,
  ) => {
    const { nest } = await asOwner(id, viewer, deps);
    const actor = actorOf(viewer);
    const record = await act(actor);
    await audit(actor, { action, subject: id, before: nest.status, after: after(record) });
    return standing(record);
  };
  routes.serve(nests.upgrade, ({ params: { id = "" }, body, viewer }) => {
    if (body.image !== undefined && !isAdminOf(viewer))
      throw new NestError("forbidden", "only a hub admin chooses an image: it runs with the nest's credentials");
    return operate(
      "nest upgraded",
      { id, viewer },
      (by) => provisioner.upgrade(id, by, body.image),
      ({ operation }) => operation?.image ?? null,
    );
  });
  routes.serve(nests.pause, ({ params: { id = "" }, viewer }) =>
    operate(
      "nest paused",
      { id, viewer },
      (by) => provisioner.pause(id, by),
      () => "paused",
    ),
  );
  routes.serve(nests.resume, ({ params: { id = "" }, viewer }) =>
    operate(
      "nest resumed",
      { id, viewer },
      (by) => provisioner.resume(id, by),
      () => "running",
    ),
  );
  routes.serve(nests.retry, ({ params: { id = "" }, viewer }) =>
    operate(
      "nest repaired",
      { id, viewer },
      (by) => provisioner.retry(id, by),
      ({ operation }) => operation?.kind,
    ),
  );
  routes.serve(nests.migrate, ({ params: { id = "" }, body, viewer }) =>
    operate(
      "nest moved",
      { id, viewer },
      (by) =>
        body.adopt
          ? provisioner.adopt(id, body.cluster_id, AbortSignal.timeout(deps.patienceMs))
          : provisioner.migrate(id, body.cluster_id, by),
      () => body.cluster_id,
    ),
  );
}

/** What an owner switches without anything being done on the cluster. */
function registerSwitches(routes: HubRoutes, deps: NestRouteDeps): void {
  const { records, audit } = deps;

  routes.serve(nests.setAutoUpgrade, async ({ params: { id = "" }, body: { auto_upgrade }, viewer, actor }) => {
    const { nest } = await asOwner(id, viewer, deps);
    const after = await records.change(id, (record) => ({ ...record, auto_upgrade }));
    const event = { subject: id, before: nest.auto_upgrade, after: auto_upgrade } as const;
    await audit(actor, { action: "nest auto-upgrade", ...event });
    return { ...standing(after), auto_upgrade };
  });

  routes.serve(nests.setVisibility, async ({ params: { id = "" }, body: { is_public }, viewer, actor }) => {
    const { nest } = await asOwner(id, viewer, deps);
    const after = await records.change(id, (record) => ({ ...record, is_public }));
    deps.setVisible(id, is_public);
    await audit(actor, { action: "nest visibility", subject: id, before: nest.is_public, after: is_public });
    return { ...standing(after), is_public };
  });

  routes.serve(nests.setName, async ({ params: { id = "" }, body: { project_name }, viewer, actor }) => {
    const { nest } = await asOwner(id, viewer, deps);
    const after = await records.change(id, (record) => ({ ...record, project_name }));
    await audit(actor, { action: "nest renamed", subject: id, before: nest.project_name, after: project_name });
    return { ...standing(after), project_name };
  });
}

function asOwner(id: string, viewer: Viewer, { records, users }: NestRouteDeps) {
  return nestFor({ id, viewer, least: "owner" }, { readNest: (one) => records.get(one), users });
}

function isAdminOf(viewer: Viewer): boolean {
  return viewer.kind === "admin-token" || (viewer.kind === "user" && viewer.isAdmin);
}

/** @throws NestError `forbidden` for who is blocked, `quota_reached` naming the maximum. */
async function checkQuota(login: string, viewer: Viewer, { users, records }: NestRouteDeps): Promise<void> {
  const { user } = await personOf(viewer, users);
  if (user?.blocked === true) throw new NestError("forbidden", "this account is blocked");
  const quota = (await users.read(login))?.saas_quota;
  if (quota === undefined || quota < 0) return;
  if (quota === 0) throw new NestError("forbidden", "this account may have no nests", { hint: "ask the hub's admin" });
  const used = usedBy(await records.list(), login);
  if (used >= quota)
    throw new NestError("quota_reached", `you may have ${quota} ${quota === 1 ? "nest" : "nests"}, and have ${used}`, {
      hint: "delete one, or ask the hub's admin for more",
    });
}

function projectOf(body: nests.CreateNest | nests.ClaimNest) {
  const [first = ""] = body.repos;
  const primary = body.primary_repo === undefined || body.primary_repo === "" ? first : body.primary_repo;
  return {
    org: body.org,
    repos: body.repos,
    primary_repo: primary,
    project_name:
      body.project_name === undefined || body.project_name === "" ? wholeName(body.org, primary) : body.project_name,
    acmm_level: body.acmm_level,
    is_public: body.is_public,
  };
}

/** A repository may have been named with its owner. */
function wholeName(org: string, repository: string): string {
  return repository.includes("/") ? repository : `${org}/${repository}`;
}

function standing({ id, status }: HostedNestRecord): { id: string; status: string } {
  return { id, status };
}

function facts({ owner, org, primary_repo, cluster_id, status }: HostedNestRecord): object {
  return { owner, org, primary_repo, cluster_id, status };
}

/** The hub works on no pull_only cluster: the record is there, and somebody applies the objects. */
function manualSteps({ operation, id }: HostedNestRecord): { manual_steps?: string } {
  if (operation !== undefined) return {};
  return { manual_steps: `the hub does not reach this cluster: apply what GET /api/saas/nests/${id}/manifests gives` };
}
