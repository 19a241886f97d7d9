import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NestError, Secret, silentLog, systemClock, systemRandom } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import {
  authShapeOf,
  type DesiredObject,
  desiredObjects,
  type NestSpec,
  newNestId,
  RecordStore,
  yamlOf,
} from "@nest/provisioner";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

// Somebody may create nests, and puts into every field what could mean something to whoever reads it later: a YAML reader, an
// ingress controller, a shell, a path, a header.

function aNest(over: Partial<NestSpec> = {}): NestSpec {
  return {
    id: "hosted-acme-widgets-ab12",
    owner: "octo",
    cluster: { id: "east", domain: "nests.example.org", ingress: "ingress" },
    project: {
      org: "acme",
      repos: ["acme/widgets"],
      primaryRepo: "acme/widgets",
      name: "Widgets",
      level: 2,
      isPublic: true,
    },
    auth: { kind: "app", appId: "123", installationId: "456" },
    image: "registry.example.org/nest-spoke:1",
    replicas: 1,
    hub: { id: "hub-one", url: "https://hub.example.org", isProxy: true },
    ...over,
  };
}

const HOSTILE = [
  "x\n---\napiVersion: v1\nkind: ClusterRoleBinding",
  "*alias",
  "&anchor a",
  "!!js/function 'x'",
  "{{ template }}",
  "$(touch /tmp/x)",
  "`id`",
  "'; drop",
  '"; return 200 "x"; #',
  "a\r\nX-Nest-Role: owner",
  "../../etc/passwd",
  "%2e%2e%2f",
  "\u0000",
  "\u202egnp.exe",
  "a".repeat(300),
  "null",
  "0x10",
  "- a",
  "a: b",
  `\${NEST_HUB_SECRET}`,
];
const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 80 }), fc.string());

/** A nest with one hostile text in one of its fields. */
const hostileNest = fc.oneof(
  text.map((id) => aNest({ id })),
  text.map((owner) => aNest({ owner })),
  text.map((image) => aNest({ image })),
  ...(["org", "primaryRepo", "name"] as const).map((key) =>
    text.map((value) => aNest({ project: { ...aNest().project, [key]: value } })),
  ),
  text.map((repo) => aNest({ project: { ...aNest().project, repos: ["acme/widgets", repo] } })),
  ...(["domain", "ingress_class", "tls_secret", "storage_class", "scc", "ingress_namespace"] as const).map((key) =>
    text.map((value) => aNest({ cluster: { ...aNest().cluster, [key]: value } })),
  ),
  text.map((url) => aNest({ hub: { ...aNest().hub, url } })),
  text.map((url) => aNest({ hub: { ...aNest().hub, url: `https://hub.example.org/${url}` } })),
  text.map((id) => aNest({ hub: { ...aNest().hub, id } })),
  text.map((appId) => aNest({ auth: { kind: "app-later", appId } })),
  text.map((path) => aNest({ volume: { kind: "nfs", server: "10.0.0.1", path } })),
  text.map((server) => aNest({ volume: { kind: "nfs", server, path: "/exports/x" } })),
  text.map((oauthClientId) => aNest({ oauthClientId, cluster: { ...aNest().cluster, ingress: "route" } })),
  text.map((value) => aNest({ environment: { NEST_GITHUB_URL: value } })),
  text.map((name) => aNest({ environment: { [name]: "x" } })),
);

function objectsOf(spec: NestSpec): readonly DesiredObject[] | undefined {
  try {
    return desiredObjects(spec, { githubToken: new Secret("ghp_x") });
  } catch (thrown) {
    if (thrown instanceof NestError && thrown.code === "nest_spec_invalid") return undefined;
    throw thrown;
  }
}

const shapeOf = (objects: readonly DesiredObject[]) =>
  objects
    .filter(({ kind }) => kind !== "RoleBinding" && kind !== "PersistentVolume")
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);

test("whatever a field says is refused, or stays data: the same objects, in the nest's own namespace", () => {
  const usual = [
    shapeOf(desiredObjects(aNest(), {})),
    shapeOf(desiredObjects(aNest({ cluster: { ...aNest().cluster, ingress: "route" } }), {})),
  ];
  let refused = 0;
  fc.assert(
    fc.property(hostileNest, (spec) => {
      const objects = objectsOf(spec);
      if (objects === undefined) {
        refused += 1;
        return;
      }
      expect(parseAllDocuments(yamlOf(objects)).map((one) => one.toJS())).toEqual(objects);
      const home = namespaceOf(spec.id);
      expect(
        usual.map((one) => one.map((name) => name.replace(namespaceOf("hosted-acme-widgets-ab12"), home))),
      ).toContainEqual(shapeOf(objects));
      for (const { kind, metadata } of objects)
        if (metadata.namespace !== undefined) expect(metadata.namespace).toBe(home);
        else expect(["Namespace", "PersistentVolume"]).toContain(kind);
      for (const { subjects } of objects.filter(({ kind }) => kind === "RoleBinding"))
        expect(subjects).toEqual([{ kind: "ServiceAccount", name: "nest-sa", namespace: home }]);
    }),
    { numRuns: 3000 },
  );
  expect(refused).toBeGreaterThan(100);
});

test("what reaches the ingress controller's own configuration has nothing that means something there", () => {
  fc.assert(
    fc.property(hostileNest, (spec) => {
      for (const { kind, metadata } of objectsOf(spec) ?? [])
        if (kind === "Ingress")
          for (const value of Object.values(metadata.annotations ?? {}))
            expect(value).toMatch(/^[A-Za-z0-9._~:/?=,[\]-]*$/);
    }),
    { numRuns: 2000 },
  );
});

test("the seed of nest.yaml says what was asked for and nothing else, whatever the texts are", () => {
  const keys = ["project", "agents", "governor", "github", "dashboard", "hub", "acmm_level"];
  fc.assert(
    fc.property(hostileNest, (spec) => {
      const map = objectsOf(spec)?.find(({ kind }) => kind === "ConfigMap");
      if (map === undefined) return;
      const seed = parse((map.data as Record<string, string>)["nest.yaml"] ?? "") as Record<
        string,
        Record<string, unknown>
      >;
      expect(Object.keys(seed)).toEqual(keys);
      expect(seed.project).toEqual({
        org: spec.project.org,
        repos: spec.project.repos,
        primary_repo: spec.project.primaryRepo,
      });
      expect(seed.dashboard?.hub_proxied).toBe(spec.cluster.ingress !== "route");
    }),
    { numRuns: 2000 },
  );
});

test("a project's name never becomes a path, and its id fits a namespace", async () => {
  const folder = await mkdtemp(join(tmpdir(), "nest-creator-"));
  const records = new RecordStore({ dataFolder: folder, clock: systemClock(), log: silentLog() });
  await fc.assert(
    fc.asyncProperty(text, text, async (org, primaryRepo) => {
      const id = await newNestId({ org, primaryRepo }, systemRandom(), async () => false);
      expect(namespaceOf(id)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
      expect(records.folderOf(id)).toBe(join(folder, "saas", "nests", id));
    }),
  );
  for (const id of HOSTILE.filter((one) => !["null", "0x10"].includes(one))) {
    expect(await records.read(id)).toBeUndefined();
    expect(() => records.folderOf(id)).toThrow("nest not found");
  }
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test("a bad credential is refused by its field, and nothing that was sent comes back", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 12 }), (value) => {
      for (const [field, fields] of [
        ["github_token", { auth_method: "token", github_token: `x${value}` }],
        ["app_private_key", { app_id: "1", app_private_key: `x${value}` }],
      ] as const) {
        let thrown: unknown;
        try {
          authShapeOf(fields);
        } catch (error) {
          thrown = error;
        }
        expect(thrown).toMatchObject({ code: "bad_request" });
        const { message, hint, cause } = thrown as NestError;
        expect(message.startsWith(`${field}: `)).toBe(true);
        expect(`${message} ${hint}`).not.toContain(value);
        expect(cause).toBeUndefined();
      }
    }),
  );
});
