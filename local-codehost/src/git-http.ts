import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { GitRepositories } from "./git-repositories.ts";

/** The part of a git address after the repository, the only ones that smart HTTP uses. */
const SERVICE_PATH = /^\/(info\/refs|git-upload-pack|git-receive-pack)$/;

/** A request of a git client: `/<owner>/<name>.git/<service path>`. */
export interface GitRequest {
  readonly owner: string;
  readonly name: string;
  readonly path: string;
  /** Whether it pushes, or asks how to push. */
  readonly write: boolean;
}

/** Undefined when the address is not one that a git client asks for. */
export function gitRequest(url: URL): GitRequest | undefined {
  const match = /^\/([\w.-]+)\/([\w.-]+?)\.git(\/.*)$/.exec(url.pathname);
  const [, owner, name, path] = match ?? [];
  if (owner === undefined || name === undefined || path === undefined || !SERVICE_PATH.test(path)) return undefined;
  const write = path === "/git-receive-pack" || url.searchParams.get("service") === "git-receive-pack";
  return { owner, name, path, write };
}

/** Lets `git http-backend` answer, by the rules of CGI. Resolves when the answer is sent and the program gone. */
export function serveGit(
  git: GitRepositories,
  repo: string,
  request: { readonly git: GitRequest; readonly url: URL; readonly login: string | undefined },
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_COUNT: "2",
        GIT_CONFIG_KEY_0: "http.receivepack",
        GIT_CONFIG_VALUE_0: "true",
        GIT_CONFIG_KEY_1: "safe.directory",
        GIT_CONFIG_VALUE_1: "*",
        GIT_PROJECT_ROOT: git.root,
        GIT_HTTP_EXPORT_ALL: "1",
        GIT_PROTOCOL: header(incoming, "git-protocol"),
        PATH_INFO: `/${repo}.git${request.git.path}`,
        QUERY_STRING: request.url.search.slice(1),
        REQUEST_METHOD: incoming.method ?? "GET",
        CONTENT_TYPE: header(incoming, "content-type"),
        HTTP_CONTENT_ENCODING: header(incoming, "content-encoding"),
        REMOTE_ADDR: "127.0.0.1",
        ...(request.login === undefined ? {} : { REMOTE_USER: request.login }),
      },
    });
    let head: Buffer | undefined = Buffer.alloc(0);
    child.stdout.on("data", (chunk: Buffer) => {
      if (head === undefined) {
        response.write(chunk);
        return;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      writeHead(response, head.subarray(0, end).toString("latin1"));
      response.write(head.subarray(end + 4));
      head = undefined;
    });
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", () => {
      if (head !== undefined) response.writeHead(500);
      response.end(resolve);
    });
    child.stdin.on("error", () => {});
    incoming.pipe(child.stdin);
    response.on("close", () => child.kill());
  });
}

function writeHead(response: ServerResponse, head: string): void {
  let status = 200;
  for (const line of head.split("\r\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "status") status = Number(value.slice(0, 3));
    else if (colon > 0) response.setHeader(name, value);
  }
  response.writeHead(status);
}

function header(incoming: IncomingMessage, name: string): string {
  const value = incoming.headers[name];
  return typeof value === "string" ? value : "";
}
