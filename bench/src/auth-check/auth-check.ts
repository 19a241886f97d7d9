import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureBeside } from "../paced/beside.ts";
import { type Call, PacedCalls } from "../paced/paced-calls.ts";
import { endProcess, startServer } from "../process/child.ts";
import { startEmptyCodeHost } from "../process/code-host-here.ts";
import { HubHere } from "../process/hub-here.ts";

export interface AuthCheckBench {
  readonly nests: number;
  readonly seconds: number;
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

/** Each request to any nest asks once. */
const PER_SECOND = 2000;
const CONNECTIONS = 64;

/** What the ingress asks for every request to a hosted nest, beside a bare web server that answers the same requests. */
export async function benchAuthCheck({ nests, seconds, print, tell }: AuthCheckBench): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "nest-bench-auth-check-"));
  const { codeHost, code } = await startEmptyCodeHost(join(folder, "codehost"));
  tell("starting");
  await writeNests(join(folder, "hub"), nests);
  const plain = { NEST_HUB_PLAIN_USER_COOKIE: "true" };
  const hub = await HubHere.start(join(folder, "hub"), code, plain);
  const bare = await startServer({
    file: fileURLToPath(new URL("../paced/bare-server.ts", import.meta.url)),
    environment: {},
  });
  const { host, port } = bare.place;
  const calls = Array.from({ length: CONNECTIONS }, (_, nth) => checkOf(nth % nests));
  const ours = { name: "hub", pid: hub.pid, calls: new PacedCalls(hub.url, calls) };
  const floor = { name: "bare node:http", pid: bare.pid, calls: new PacedCalls(`http://${host}:${port}`, calls) };
  try {
    const what = `${nests} nests with an owner each, ${PER_SECOND} checks a second over ${CONNECTIONS} connections`;
    print(await measureBeside({ ours, floor, what, one: "a check", perSecond: PER_SECOND, seconds, tell }));
  } finally {
    for (const side of [ours, floor]) side.calls.close();
    await Promise.all([hub.stop(), endProcess(bare.child), codeHost.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

function checkOf(nth: number): Call {
  const headers = { cookie: `nest_hub_user=owner-${nth}`, "x-original-url": `https://nest-${nth}.example/api/agents` };
  return { method: "GET", path: `/api/saas/auth-check?nest=hosted-${nth}`, headers };
}

/** Records and users as a hub finds them on its volume. */
async function writeNests(dataFolder: string, nests: number): Promise<void> {
  await mkdir(join(dataFolder, "saas/users"), { recursive: true });
  for (let nth = 0; nth < nests; nth += 1) {
    const [id, owner] = [`hosted-${nth}`, `owner-${nth}`];
    await mkdir(join(dataFolder, "saas/nests", id), { recursive: true });
    await writeFile(join(dataFolder, "saas/nests", id, "meta.json"), JSON.stringify({ id, owner, status: "running" }));
    await writeFile(join(dataFolder, "saas/users", `${owner}.json`), JSON.stringify({ github_username: owner }));
  }
}
