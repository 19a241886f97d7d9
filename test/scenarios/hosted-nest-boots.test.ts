import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Secret } from "@nest/kit";
import { type DesiredObject, desiredObjects, type NestSpec } from "@nest/provisioner";
import { expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { ProcessHere } from "../harness/process-here.ts";

const TOKEN = "d".repeat(64);
const ID = "hosted-acme-widgets-ab12";

/** A hub that takes heartbeats and keeps them. */
async function aHub() {
  const beats: { readonly body: Record<string, unknown>; readonly authorization: string | undefined }[] = [];
  const server = createServer(async (request: IncomingMessage, answer) => {
    if (request.url === "/api/heartbeat")
      beats.push({ body: JSON.parse(await text(request)), authorization: request.headers.authorization });
    answer.setHeader("content-type", "application/json").end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { beats, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

type Entry = {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly key: string } };
};

interface PodTemplate {
  readonly template: { readonly spec: { readonly containers: readonly { readonly env: readonly Entry[] }[] } };
}

/** The environment that the cluster would give the nest's container. */
function environmentOf(objects: readonly DesiredObject[]): Record<string, string> {
  const one = (kind: string) => objects.find((object) => object.kind === kind);
  const pod = one("Deployment")?.spec as PodTemplate | undefined;
  const data = (one("Secret")?.data ?? {}) as Record<string, string>;
  const environment: Record<string, string> = {};
  for (const { name, value, valueFrom } of pod?.template.spec.containers[0]?.env ?? []) {
    const kept = data[valueFrom?.secretKeyRef.key ?? ""];
    const text = value ?? (kept === undefined ? undefined : Buffer.from(kept, "base64").toString());
    if (text !== undefined) environment[name] = text;
  }
  return environment;
}

test.each(["none", "token", "app-later"] as const)(
  "the objects of a nest (%s) are enough for a spoke: it boots, tells the hub its own id, and lets its owner in",
  async (kind) => {
    const hub = await aHub();
    await using folder = await FolderHere.make("hosted");
    const auth: NestSpec["auth"] = kind === "app-later" ? { kind, appId: "123" } : { kind };
    const spec: NestSpec = {
      id: ID,
      owner: "octo",
      cluster: { id: "east", domain: "nests.example.org", ingress: "ingress" },
      project: {
        org: "acme",
        repos: ["acme/widgets"],
        primaryRepo: "acme/widgets",
        name: "Widgets",
        level: 3,
        isPublic: false,
      },
      auth,
      image: "localhost/nest-spoke",
      replicas: 1,
      hub: { id: "hub-one", url: hub.url, isProxy: true },
      environment: { NEST_GITHUB_API_URL: hub.url },
    };
    const objects = desiredObjects(spec, {
      dashboardToken: new Secret(TOKEN),
      hubSecret: new Secret("shared"),
      ...(kind === "token" && { githubToken: new Secret("ghp_of_the_nest") }),
    });
    const seed = objects.find((object) => object.kind === "ConfigMap")?.data as Record<string, string>;
    await mkdir(folder.in("home"));
    // What the init container copy-config does.
    await writeFile(folder.in("nest.yaml"), seed["nest.yaml"] ?? "");
    await using spoke = new ProcessHere("nest", ["spoke"], {
      ...environmentOf(objects),
      KUBERNETES_SERVICE_HOST: "10.0.0.1",
      NEST_DATA_DIR: folder.in("data"),
      NEST_CONFIG: folder.in("nest.yaml"),
      NEST_SECRETS_DIR: folder.in("secrets"),
      NEST_SPOKE_HOST: "127.0.0.1",
      NEST_SPOKE_DASHBOARD_PORT: "0",
      NEST_SPOKE_TERMINAL_PORT: "0",
      HOME: folder.in("home"),
    });
    const [, url = ""] = await spoke.says(/^nest-spoke listening on (\S+)$/m);
    for (const path of ["/api/health", "/api/livez"]) expect((await fetch(`${url}${path}`)).status).toBe(200);
    await expect.poll(() => hub.beats.length).toBeGreaterThan(0);
    expect(hub.beats[0]).toMatchObject({
      authorization: "Bearer shared",
      body: { nest_id: ID, org: "acme", is_public: false, acmm_level: 3 },
    });
    const asked = async (role: string) => {
      const headers = { "x-nest-user": "octo", "x-nest-role": role, "x-nest-proxy-auth": TOKEN };
      return (await fetch(`${url}/api/config`, { headers })).status;
    };
    expect(await asked("owner")).toBe(200);
    expect(await asked("read")).toBe(403);
    hub.close();
  },
);
