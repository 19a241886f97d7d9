import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Caller, identify, maySee, mayWrite } from "./access.ts";
import { ApiRefusal } from "./api-call.ts";
import type { GitRepositories } from "./git-repositories.ts";
import type { Platform } from "./platform.ts";
import { fullName } from "./state.ts";

/** The part of a git address after the repository, the only ones that smart HTTP uses. */
const SERVICE_PATHS = ["/info/refs", "/git-upload-pack", "/git-receive-pack"] as const;

/** What is asked of git: the part of the address after `/owner/name.git`, and by whom. */
interface GitRequest {
  readonly path: string;
  readonly query: string;
  /** Undefined for a stranger. */
  readonly login: string | undefined;
}

/** Git over HTTP. Bodies are streamed to git and its answers back, whatever their size. */
export function gitRoutes(app: FastifyInstance, platform: Platform): void {
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  for (const path of SERVICE_PATHS) {
    app.route({
      method: path === "/info/refs" ? "GET" : "POST",
      url: `/:owner/:name(^[\\w.-]+?).git${path}`,
      exposeHeadRoute: false,
      handler: (request, reply) => answerGit(platform, path, request, reply),
    });
  }
}

async function answerGit(platform: Platform, path: string, request: FastifyRequest, reply: FastifyReply) {
  const { owner = "", name = "" } = request.params as Readonly<Record<string, string>>;
  const query = request.url.split("?")[1] ?? "";
  const writes = path === "/git-receive-pack" || new URLSearchParams(query).get("service") === "git-receive-pack";
  const repo = platform.store.repository(owner, name);
  const caller = callerOf(platform, request);
  const visible = repo !== undefined && caller !== undefined && maySee(caller, repo);
  if (!visible || (writes && caller.kind !== "user")) {
    if (caller !== undefined && caller.kind !== "nobody") throw new ApiRefusal(404, "Repository not found.");
    reply.code(401).header("www-authenticate", 'Basic realm="local code host"');
    return reply.send("authentication required\n");
  }
  if (writes && !mayWrite(caller, repo, "contents")) throw new ApiRefusal(403, "Write access not granted.");
  const login = caller.kind === "user" ? caller.login : undefined;
  reply.hijack();
  try {
    await serveGit(platform.git, fullName(repo), { path, query, login }, request.raw, reply.raw);
    if (path === "/git-receive-pack") {
      platform.git.moved(fullName(repo));
      await platform.followBranches(repo);
      await platform.store.save();
    }
  } catch (thrown) {
    process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
    if (!reply.raw.headersSent) reply.raw.writeHead(500);
  }
  // Only now: whoever pushed finds the pull requests where the push has moved them.
  reply.raw.end();
  return reply;
}

/** Undefined for somebody whose token is wrong: git asks again when it is told so. */
function callerOf(platform: Platform, request: FastifyRequest): Caller | undefined {
  try {
    return identify(platform.store, request.headers.authorization);
  } catch {
    return undefined;
  }
}

/** Lets `git http-backend` answer, by the rules of CGI. Resolves when the program is gone; the caller ends the answer. */
function serveGit(
  git: GitRepositories,
  repo: string,
  request: GitRequest,
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
        PATH_INFO: `/${repo}.git${request.path}`,
        QUERY_STRING: request.query,
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
      resolve();
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
