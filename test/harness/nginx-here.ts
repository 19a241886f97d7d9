import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "./folder-here.ts";

/** A real nginx in front of several hubs, as an operator would run it: requests go to each in turn, sockets are passed on. */
export class NginxHere implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** Whether there is an nginx here; where CI is set, its absence is a failure. */
  static get isHere(): boolean {
    try {
      execFileSync("nginx", ["-v"], { stdio: "ignore", env: { PATH: `${process.env.PATH}:/usr/sbin` } });
      return true;
    } catch (thrown) {
      if (process.env.CI === "true") throw thrown;
      console.error("skipped: hubs behind a real nginx: there is none here");
      return false;
    }
  }

  static async start(folder: string, hubs: readonly string[]): Promise<NginxHere> {
    const [port = 0] = await freePorts(1);
    await mkdir(folder, { recursive: true });
    const servers = hubs.map((url) => `server ${new URL(url).host} max_fails=1 fail_timeout=1s;`).join(" ");
    const file = join(folder, "nginx.conf");
    await writeFile(
      file,
      `daemon off; pid ${folder}/nginx.pid; error_log stderr; worker_processes 1; events { worker_connections 4096; }
       http {
         access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
         fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
         map $http_upgrade $connection_upgrade { default upgrade; "" close; }
         upstream hubs { ${servers} }
         server {
           listen 127.0.0.1:${port};
           location / {
             proxy_pass http://hubs; proxy_http_version 1.1; proxy_set_header Host $http_host;
             proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
             proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
             proxy_connect_timeout 1s; proxy_read_timeout 1h; proxy_buffering off;
           }
         }
       }`,
    );
    const child = spawn("nginx", ["-c", file, "-p", folder], {
      env: { PATH: `${process.env.PATH}:/usr/sbin` },
      stdio: "ignore",
    });
    const url = `http://127.0.0.1:${port}`;
    for (let tries = 0; tries < 100; tries += 1) {
      if (
        await fetch(`${url}/api/health`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return new NginxHere(url, child);
  }

  get socket(): string {
    return `${this.url.replace("http", "ws")}/api/contribute/ws`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }
}
