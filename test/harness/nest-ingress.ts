import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "./folder-here.ts";

/** Where a nest listens behind the ingress. */
export interface Upstream {
  readonly nestId: string;
  readonly dashboard: string;
  readonly terminal: string;
}

/**
 * A real nginx as the ingress of hosted nests: what the annotations of our Ingress objects make of an nginx controller. Each request
 * asks the hub's auth-check; its cookie and headers are passed on; pages without a session lead to the hub, calls get the 401.
 */
export class NestIngress implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(folder: string, hub: string, upstreams: readonly Upstream[]): Promise<NestIngress> {
    const [port = 0] = await freePorts(1);
    await mkdir(folder, { recursive: true });
    const file = join(folder, "nginx.conf");
    await writeFile(file, configOf(folder, port, hub, upstreams));
    const child = spawn("nginx", ["-c", file, "-p", folder], {
      env: { PATH: `${process.env.PATH}:/usr/sbin` },
      stdio: "ignore",
    });
    const url = `http://127.0.0.1:${port}`;
    for (let tries = 0; tries < 100; tries += 1) {
      const answers = await fetch(url).then(
        () => true,
        () => false,
      );
      if (answers) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return new NestIngress(url, child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }
}

function configOf(folder: string, port: number, hub: string, upstreams: readonly Upstream[]): string {
  return `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; worker_processes 1; events { worker_connections 1024; }
    http {
      access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
      server { listen 127.0.0.1:${port} default_server; return 404; }
      ${upstreams.map((one) => serverOf(port, hub, one)).join("\n")}
    }`;
}

function serverOf(port: number, hub: string, { nestId, dashboard, terminal }: Upstream): string {
  const judged = `
          auth_request /_auth;
          auth_request_set $nest_cookie $upstream_http_set_cookie; add_header Set-Cookie $nest_cookie;
          auth_request_set $nest_user $upstream_http_x_nest_user; proxy_set_header X-Nest-User $nest_user;
          auth_request_set $nest_role $upstream_http_x_nest_role; proxy_set_header X-Nest-Role $nest_role;
          auth_request_set $nest_proof $upstream_http_x_nest_proxy_auth; proxy_set_header X-Nest-Proxy-Auth $nest_proof;
          proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
          proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto https;`;
  const open = `${hub}/api/saas/nests/${nestId}/open?rd=https://$http_host$request_uri`;
  return `server {
        listen 127.0.0.1:${port}; server_name ${nestId}.nests.test;
        location = /_auth {
          internal; proxy_pass ${hub}/api/saas/auth-check?nest=${nestId};
          proxy_pass_request_body off; proxy_set_header Content-Length ""; proxy_set_header X-Forwarded-Proto https;
          proxy_set_header X-Original-URL https://$http_host$request_uri;
        }
        location / { ${judged} error_page 401 = @signin; proxy_pass ${dashboard}; }
        location /api { ${judged} proxy_pass ${dashboard}; }
        location /terminal { ${judged} proxy_pass ${terminal}; }
        location @signin { return 302 ${open}; }
      }`;
}
