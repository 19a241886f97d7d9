import { mkdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { dashboardToken } from "@nest/auth";
import type { KubernetesObject } from "@nest/cluster";
import { doorsOf, Entrance } from "@nest/local-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { FolderHere, freePorts } from "../harness/folder-here.ts";
import { aNest } from "../harness/hosted-scene.ts";
import { HubProcess } from "../harness/hub-process.ts";
import { NestIngress } from "../harness/nest-ingress.ts";
import { NginxHere } from "../harness/nginx-here.ts";
import { ProcessHere } from "../harness/process-here.ts";

const [ENTRANCE = 0] = await freePorts(1);

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** What stands before nests: nginx on a cluster, our own entrance on this machine. The contract with the hub is the same. */
const fronts = [
  {
    front: "nginx",
    isHere: NginxHere.isHere,
    domain: "nests.test",
    port: undefined,
    scheme: "https",
    secure: "Secure; ",
  },
  {
    front: "the entrance of the local cluster",
    isHere: true,
    domain: "localhost",
    port: ENTRANCE,
    scheme: "http",
    secure: "",
  },
] as const;

describe.each(fronts.filter(({ isHere }) => isHere))(
  "a hosted nest behind $front",
  ({ domain, port, scheme, secure }) => {
    let folder: FolderHere;
    let hub: HubProcess;
    let spoke: ProcessHere;
    let ingress: { readonly url: string } & AsyncDisposable;
    let nest = "";
    let other = "";

    beforeAll(async () => {
      folder = await FolderHere.make("through-ingress");
      hub = await HubProcess.start({
        folder: folder.in("hub"),
        apiUrl: "http://127.0.0.1:1",
        repos: ["acme/one"],
        token: "t",
        environment: {
          NEST_HUB_PUBLIC_URL: "http://hub.nests.test",
          NEST_HUB_ADMINS: "root",
          NEST_HUB_PLAIN_USER_COOKIE: "true",
        },
      });
      const at = port === undefined ? {} : { ingress_port: port };
      const cluster = { id: "far", pull_only: true, domain, ingress: "ingress", ...at };
      await writeFile(folder.in("hub/clusters.json"), JSON.stringify([cluster]));
      await mkdir(folder.in("hub/saas/users"), { recursive: true });
      for (const login of ["ada", "bob", "eve"])
        await writeFile(folder.in(`hub/saas/users/${login}.json`), JSON.stringify({ github_username: login }));
      nest = await create();
      other = await create();
      await hubAs("ada", "POST", `/api/saas/nests/${nest}/access`, { username: "bob", role: "read" });
      spoke = await spokeOf(nest);
      const [, dashboard = ""] = await spoke.says(/^nest-spoke listening on (\S+)$/m);
      ingress =
        port === undefined
          ? await NestIngress.start(folder.in("nginx"), hub.url, [
              { nestId: nest, dashboard, terminal: dashboard },
              { nestId: other, dashboard, terminal: dashboard },
            ])
          : await entrance(port, dashboard);
    }, 60_000);

    afterAll(async () => {
      await ingress?.[Symbol.asyncDispose]();
      await spoke?.[Symbol.asyncDispose]();
      await hub?.[Symbol.asyncDispose]();
      await folder?.[Symbol.asyncDispose]();
    });

    /** Our own entrance, by the Ingress objects of both nests; the hub is asked at the address where it really listens. */
    async function entrance(at: number, dashboard: string): Promise<{ readonly url: string } & AsyncDisposable> {
      const objects = [...(await objectsOf(nest)), ...(await objectsOf(other))];
      const here = (url: string | undefined) => url?.replace("http://hub.nests.test", hub.url);
      const doors = objects
        .filter(({ kind }) => kind === "Ingress")
        .flatMap(doorsOf)
        .map((door) => ({ ...door, authUrl: here(door.authUrl) }));
      const { hostname, port: podPort } = new URL(dashboard);
      const podOf = () => ({ host: hostname, port: Number(podPort) });
      const started = await Entrance.start(at, { doors: () => doors, podOf });
      return { url: `http://127.0.0.1:${at}`, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
    }

    async function objectsOf(id: string): Promise<readonly KubernetesObject[]> {
      const { text } = await hubAs("ada", "GET", `/api/saas/nests/${id}/manifests`);
      return parseAllDocuments(text).map((one) => one.toJS() as KubernetesObject);
    }

    const hostOf = (id: string) => (port === undefined ? `${id}.${domain}` : `${id}.${domain}:${port}`);

    async function create(): Promise<string> {
      const { text } = await hubAs("ada", "POST", "/api/saas/nests", aNest);
      return (JSON.parse(text) as { id: string }).id;
    }

    /** The nest as its manifests describe it, as a process of this machine. */
    async function spokeOf(id: string): Promise<ProcessHere> {
      const data = (await objectsOf(id)).find(({ kind }) => kind === "ConfigMap")?.data as Record<string, string>;
      const seed = data["nest.yaml"] ?? "";
      await writeFile(folder.in("nest.yaml"), seed);
      const master = await readFile(folder.in("hub/saas/hmac.key"));
      return new ProcessHere("nest", ["spoke"], {
        HOME: folder.path,
        NEST_ID: id,
        NEST_DATA_DIR: folder.in("data"),
        NEST_CONFIG: folder.in("nest.yaml"),
        NEST_SPOKE_DASHBOARD_PORT: "0",
        NEST_SPOKE_TERMINAL_PORT: "0",
        NEST_CONTAINER: "1",
        NEST_GITHUB_TOKEN: "ghp_abc",
        NEST_GITHUB_API_URL: "http://127.0.0.1:1",
        NEST_HUB_SECRET: "heartbeat-secret-of-the-tests",
        NEST_DASHBOARD_TOKEN: dashboardToken(master, id).reveal(),
      });
    }

    const hubAs = (login: string | undefined, method: string, path: string, body?: object) =>
      ask(hub.url, method, path, {
        host: "hub.nests.test",
        ...(login === undefined ? {} : { cookie: `nest_hub_user=${login}` }),
        ...(body === undefined ? {} : { body }),
      });

    const nestAs = (pass: string | undefined, method: string, path: string, more: Asking = {}, id = nest) =>
      ask(ingress.url, method, path, {
        host: hostOf(id),
        ...(pass === undefined ? {} : { cookie: pass }),
        ...more,
      });

    /** The way of a browser from the hub to the nest: answers with the cookie that it gets there. */
    async function passOf(login: string): Promise<string> {
      const { headers } = await hubAs(login, "GET", `/api/saas/nests/${nest}/open?to=/agents`);
      const door = new URL(String(headers.location));
      expect(door.origin).toBe(`${scheme}://${hostOf(nest)}`);
      const arrived = await nestAs(undefined, "GET", door.pathname + door.search);
      expect([arrived.status, arrived.headers.location]).toEqual([302, "/agents"]);
      const [cookie = ""] = [arrived.headers["set-cookie"]].flat();
      expect(cookie).toMatch(new RegExp(`^nest_pass=[^;]+; .*HttpOnly; ${secure}SameSite=Lax$`, "i"));
      return cookie.split(";")[0] ?? "";
    }

    test("a page without a session leads to the hub, from there to signing in, and back to the nest", async () => {
      const page = await nestAs(undefined, "GET", "/agents", { accept: "text/html" });
      expect(page.status).toBe(302);
      const open = new URL(String(page.headers.location));
      expect(open.pathname).toBe(`/api/saas/nests/${nest}/open`);
      const there = await hubAs(undefined, "GET", open.pathname + open.search);
      const login = new URL(String(there.headers.location), "http://hub.nests.test");
      expect(login.pathname).toBe("/login");
      const back = login.searchParams.get("redirect") ?? "";
      expect(back).toBe(`/api/saas/nests/${nest}/open?to=%2Fagents`);
      expect((await hubAs("ada", "GET", back)).headers.location).toMatch(
        new RegExp(`^${scheme}://${hostOf(nest)}/sso\\?`),
      );
    });

    test("a call without a session gets the 401 itself", async () => {
      expect(await nestAs(undefined, "GET", "/api/agents")).toMatchObject({ status: 401 });
    });

    test("each comes in with the role that they have on the hub", async () => {
      const [ada, bob] = [await passOf("ada"), await passOf("bob")];
      const owned = (pass: string) => nestAs(pass, "GET", "/api/config");
      expect([(await owned(ada)).status, (await owned(bob)).status]).toEqual([200, 403]);
      expect((await nestAs(bob, "GET", "/api/agents")).status).toBe(200);
    });

    test("a role that is taken away on the hub is gone at the nest within two seconds", async () => {
      await hubAs("ada", "POST", `/api/saas/nests/${nest}/access`, { username: "eve", role: "read" });
      const eve = await passOf("eve");
      expect((await nestAs(eve, "GET", "/api/agents")).status).toBe(200);
      await hubAs("ada", "DELETE", `/api/saas/nests/${nest}/access/eve`);
      await expect.poll(async () => (await nestAs(eve, "GET", "/api/agents")).status, { timeout: 5000 }).toBe(403);
    });

    test("nobody becomes somebody else by headers, by a pass for another nest, or by a ticket that was used", async () => {
      const bob = await passOf("bob");
      const forged = { more: { "x-nest-user": "ada", "x-nest-role": "owner", "x-nest-proxy-auth": "x" } };
      expect((await nestAs(bob, "GET", "/api/config", forged)).status).toBe(403);
      expect((await nestAs(undefined, "GET", "/api/config", forged)).status).toBe(401);
      expect((await nestAs(await passOf("ada"), "GET", "/api/config", {}, other)).status).toBe(401);
      const { headers } = await hubAs("ada", "GET", `/api/saas/nests/${nest}/open`);
      const door = new URL(String(headers.location));
      const first = await nestAs(undefined, "GET", door.pathname + door.search);
      const again = await nestAs(undefined, "GET", door.pathname + door.search);
      expect([first.headers["set-cookie"] !== undefined, again.headers["set-cookie"]]).toEqual([true, undefined]);
    });

    test("what auth-check tells a reader does not make an owner of them at the nest itself", async () => {
      const check = await ask(hub.url, "GET", `/api/saas/auth-check?nest=${nest}&uri=/`, {
        host: "hub.nests.test",
        cookie: "nest_hub_user=bob",
      });
      const proof = String(check.headers["x-nest-proxy-auth"]);
      const [, direct = ""] = await spoke.says(/^nest-spoke listening on (\S+)$/m);
      const as = (user: string, role: string) =>
        ask(direct, "GET", "/api/config", {
          host: hostOf(nest),
          more: { "x-nest-user": user, "x-nest-role": role, "x-nest-proxy-auth": proof },
        });
      expect([
        (await as("bob", "read")).status,
        (await as("bob", "owner")).status,
        (await as("ada", "owner")).status,
      ]).toEqual([403, 403, 403]);
      const { text } = await as("bob", "read");
      expect(JSON.parse(text)).toMatchObject({ code: "forbidden" });
    });

    test("somebody without a role is led to where they can ask for access", async () => {
      const { headers } = await hubAs("eve", "GET", `/api/saas/nests/${nest}/open`);
      expect(headers.location).toBe(`/my-nests/${nest}/no-access`);
      expect((await hubAs("eve", "POST", `/api/saas/nests/${nest}/request-access`)).status).toBe(200);
      const { text } = await hubAs("ada", "GET", `/api/saas/nests/${nest}/access`);
      expect(text).toContain('"username":"eve"');
    });

    test("auth-check without a nest is refused; one that there is not opens for nobody", async () => {
      expect((await hubAs("ada", "GET", "/api/saas/auth-check")).status).toBe(400);
      expect((await hubAs("ada", "GET", "/api/saas/auth-check?nest=hosted-none&uri=/contribute")).status).toBe(403);
    });
  },
);

interface Asking {
  readonly cookie?: string;
  readonly body?: object;
  readonly accept?: string;
  readonly more?: Readonly<Record<string, string>>;
}

/** A request with a host name of its own, which nothing follows. */
function ask(
  url: string,
  method: string,
  path: string,
  { host, cookie, body, accept, more }: Asking & { host: string },
) {
  const { hostname, port } = new URL(url);
  const headers = {
    host,
    ...(cookie === undefined ? {} : { cookie }),
    ...(accept === undefined ? {} : { accept }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...more,
  };
  return new Promise<Reply>((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
