import { type ChildProcess, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FolderHere, freePorts } from "../harness/folder-here.ts";
import { NginxHere } from "../harness/nginx-here.ts";
import type { SpokeHere } from "../harness/spoke-here.ts";
import { standaloneSpoke } from "../harness/standalone-spoke.ts";
import { VisitorHere } from "../harness/visitor-here.ts";

/** An ingress that ends https for a nest and says what was asked there, as many are set up: under a name of its own. */
function ingress(folder: string, port: number, nest: string): string {
  return `daemon off; pid ${folder}/nginx.pid; error_log stderr; worker_processes 1; events { worker_connections 256; }
    http {
      access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${nest}; proxy_http_version 1.1;
          proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
          proxy_set_header X-Forwarded-Host $http_host; proxy_set_header X-Forwarded-Proto https;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }
      }
    }`;
}

describe.skipIf(!NginxHere.isHere)(
  "a nest that signs people in itself, behind a named nginx",
  { timeout: 60_000 },
  () => {
    let folder: FolderHere;
    let spoke: SpokeHere;
    let nginx: ChildProcess;
    let url = "";
    beforeAll(async () => {
      folder = await FolderHere.make("ingress");
      spoke = await standaloneSpoke(["ada:owner"], {}, { trusted_proxies: ["127.0.0.1"] });
      const [port = 0] = await freePorts(1);
      await writeFile(join(folder.path, "nginx.conf"), ingress(folder.path, port, spoke.url));
      nginx = spawn("nginx", ["-c", join(folder.path, "nginx.conf"), "-p", folder.path], {
        env: { PATH: `${process.env.PATH}:/usr/sbin` },
        stdio: "ignore",
      });
      url = `http://127.0.0.1:${port}`;
      const isUp = () =>
        fetch(`${url}/api/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 50));
    }, 60_000);
    afterAll(async () => {
      nginx?.kill("SIGTERM");
      await spoke?.[Symbol.asyncDispose]();
      await folder?.[Symbol.asyncDispose]();
    });

    test("an owner signs in and works through it, the terminal's socket included", async () => {
      const ada = new VisitorHere(url);
      expect(await ada.signIn(spoke, "ada")).toMatchObject({ status: "complete", role: "owner" });
      expect((await ada.ask("GET", "/api/backup/status")).status).toBe(200);
      expect((await ada.ask("POST", "/api/agents/scanner/pause", {})).status).toBe(200);
      const terminal = ada.terminal("nest-scanner");
      expect(await terminal.outcome).toBe("open");
      await terminal.shows(/\S/);
      terminal.type("through the ingress\r");
      await terminal.shows(/through the ingress/);
      terminal.socket.close();
    });

    test("the cookies go over https alone, because the ingress says that the page came so", async () => {
      const { headers } = await new VisitorHere(url).ask("POST", "/api/gh-user-auth/start");
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(/^nest_sign_in=.*; HttpOnly; Secure; SameSite=Lax$/),
      ]);
    });

    test("a role that a client says is nobody's, and names nothing to a stranger", async () => {
      const forged = { "x-nest-user": "ada", "x-nest-role": "owner" };
      const stranger = new VisitorHere(url);
      expect((await stranger.ask("GET", "/api/backup/status", undefined, forged)).status).toBe(401);
      expect((await stranger.ask("GET", "/", undefined, forged)).text).not.toContain("secret-plans");
      expect(await stranger.terminal("nest-scanner", forged).outcome).toBe(403);
    });
  },
);
