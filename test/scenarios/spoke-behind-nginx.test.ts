import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FolderHere, freePorts } from "../harness/folder-here.ts";
import { NginxHere } from "../harness/nginx-here.ts";
import { ProcessHere } from "../harness/process-here.ts";
import { VisitorHere } from "../harness/visitor-here.ts";

/** Roles by session, as the hub's auth-check answers them to the ingress. */
const sessions: Readonly<Record<string, readonly [string, string]>> = {
  ada: ["ada", "owner"],
  rob: ["rob", "read"],
  may: ["may", "merger"],
};

/** An ingress that asks the hub who it is for each request, and says that and nothing else to the nest behind it. */
function ingress(folder: string, port: number, check: number, nest: string): string {
  return `daemon off; pid ${folder}/nginx.pid; error_log stderr; worker_processes 1; events { worker_connections 256; }
    http {
      access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
      server {
        listen 127.0.0.1:${port};
        location = /check { internal; proxy_pass http://127.0.0.1:${check}/; proxy_pass_request_body off; }
        location / {
          auth_request /check;
          auth_request_set $nest_user $upstream_http_x_nest_user;
          auth_request_set $nest_role $upstream_http_x_nest_role;
          proxy_pass ${nest}; proxy_set_header Host $http_host;
          proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
          proxy_set_header X-Nest-User $nest_user; proxy_set_header X-Nest-Role $nest_role;
        }
      }
    }`;
}

describe.skipIf(!NginxHere.isHere)("a nest behind a real nginx that asks the hub", () => {
  let folder: FolderHere;
  let check: Server;
  let spoke: ProcessHere;
  let nginx: ChildProcess;
  let url = "";

  beforeAll(async () => {
    folder = await FolderHere.make("ingress");
    const seed = {
      project: { org: "acme", repos: ["secret-plans"] },
      github: { token: "t" },
      hub: { enabled: false },
      agents: { scanner: { backend: "claude" } },
    };
    await mkdir(folder.path, { recursive: true });
    const file = join(folder.path, "nest.yaml");
    await writeFile(file, JSON.stringify({ ...seed, dashboard: { hub_proxied: true } }));
    spoke = new ProcessHere("nest", ["spoke"], {
      NEST_DATA_DIR: join(folder.path, "data"),
      NEST_CONFIG: file,
      NEST_SPOKE_DASHBOARD_PORT: "0",
      NEST_SPOKE_TERMINAL_PORT: "0",
    });
    const [, nest = ""] = await spoke.says(/^nest-spoke listening on (\S+)$/m);
    check = createServer((request, response) => {
      const [login = "", role = ""] = sessions[/session=(\w+)/.exec(request.headers.cookie ?? "")?.[1] ?? ""] ?? [];
      if (role === "") response.writeHead(401).end();
      else response.writeHead(200, { "x-nest-user": login, "x-nest-role": role }).end();
    });
    await new Promise<void>((resolve) => check.listen(0, "127.0.0.1", resolve));
    const [port = 0] = await freePorts(1);
    const config = join(folder.path, "nginx.conf");
    await writeFile(config, ingress(folder.path, port, (check.address() as AddressInfo).port, nest));
    nginx = spawn("nginx", ["-c", config, "-p", folder.path], {
      env: { PATH: `${process.env.PATH}:/usr/sbin` },
      stdio: "ignore",
    });
    url = `http://127.0.0.1:${port}`;
    const isUp = () =>
      fetch(url).then(
        ({ status }) => status === 401,
        () => false,
      );
    while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 50));
  });
  afterAll(async () => {
    nginx?.kill("SIGTERM");
    check?.close();
    await spoke?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const get = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(url + path, { headers });
    return { status: response.status, text: await response.text() };
  };

  test("its page is open to whom the hub lets in, and its backup to the owner alone", async () => {
    for (const session of ["ada", "rob"]) {
      const page = await get("/", { cookie: `session=${session}` });
      expect([page.status, page.text]).toEqual([200, expect.stringContaining("secret-plans")]);
    }
    expect((await get("/api/backup/status", { cookie: "session=ada" })).status).toBe(200);
    expect((await get("/api/backup/status", { cookie: "session=rob" })).status).toBe(403);
  });

  test("who says a role themselves is whom the hub says they are", async () => {
    const forged = { "x-nest-user": "ada", "x-nest-role": "owner" };
    expect((await get("/", forged)).status).toBe(401);
    expect((await get("/api/backup/status", { ...forged, cookie: "session=rob" })).status).toBe(403);
  });

  test("terminals are open to whom the hub gives the role, through the same question", async () => {
    const at = (session: string, headers: Record<string, string> = {}) =>
      new VisitorHere(url).terminal("nest-scanner", { cookie: `session=${session}`, ...headers });
    const [owner, looker] = [at("ada"), at("may")];
    expect(await Promise.all([owner.outcome, looker.outcome])).toEqual(["open", "open"]);
    await owner.shows(/\S/);
    looker.type("by the looker\r");
    owner.type("through the ingress\r");
    await looker.shows(/through the ingress/);
    expect(looker.output).not.toContain("by the looker");
    for (const { socket } of [owner, looker]) socket.close();
    const forged = { "x-nest-user": "ada", "x-nest-role": "owner" };
    expect(await at("rob", forged).outcome).toBe(403);
    expect(await at("nobody", forged).outcome).toBe(401);
    expect(await at("ada", { origin: "http://evil.example" }).outcome).toBe(403);
  });
});
