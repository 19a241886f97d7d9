import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "@nest/kit";
import { pages } from "@nest/protocol";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { html } from "./html.ts";
import { RouteRegistry } from "./route-registry.ts";
import { serveWebApp } from "./web-app.ts";

let folder: string;
let http: FastifyInstance;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-app-"));
  http = Fastify();
  const routes = new RouteRegistry<string>(http, {
    what: "hub",
    admit: () => "somebody",
    actorOf: (who) => who,
    errorPage: ({ body }) => body.error,
  });
  serveWebApp(http, routes, {
    entry: "hub",
    pages: pages.app,
    notBuilt: () => "run: npm run build",
    withoutScripts: html`This page needs scripts.`,
    random: seededRandom(1),
    folder,
    shell: () => ({ body: html`<p>frame</p>`, viewer: "visitor", asks: ["/api/auth/user"] }),
    pageSources: { "/operations": "src/hub/operations.tsx" },
  });
});
afterEach(async () => {
  await http.close();
  await rm(folder, { recursive: true, force: true });
});

async function build(): Promise<void> {
  await mkdir(join(folder, ".vite"));
  await mkdir(join(folder, "assets"));
  const entry = { file: "assets/hub-AAAAAAAA.js", name: "hub", isEntry: true, css: ["assets/hub-BBBBBBBB.css"] };
  await writeFile(join(folder, ".vite/manifest.json"), JSON.stringify({ "src/hub/main.tsx": entry }));
  await writeFile(join(folder, "assets/hub-AAAAAAAA.js"), "let a = 1;");
  await writeFile(join(folder, "assets/hub-AAAAAAAA.js.br"), "compressed");
  await writeFile(join(folder, "secret.txt"), "secret");
}

const get = (url: string, headers: Record<string, string> = {}) => http.inject({ url, headers });

test("without a build the pages say what to run, and after it they work without a restart", async () => {
  const before = await get("/operations");
  expect([before.statusCode, before.body]).toEqual([503, expect.stringContaining("npm run build")]);
  await build();
  const after = await get("/operations");
  expect(after.statusCode).toBe(200);
  expect(after.body).toContain('<script type="module" src="/app/assets/hub-AAAAAAAA.js"></script>');
  expect(after.body).toContain('href="/app/assets/hub-BBBBBBBB.css"');
});

test("a page names what its entry imports: shared styles before its own, and scripts to fetch in parallel", async () => {
  await build();
  const manifest = {
    "src/hub/main.tsx": {
      file: "assets/hub-AAAAAAAA.js",
      name: "hub",
      isEntry: true,
      imports: ["_shell.js"],
      css: ["assets/hub-BBBBBBBB.css"],
    },
    "src/spoke/main.tsx": { file: "assets/spoke-EEEEEEEE.js", name: "spoke", isEntry: true, imports: ["_shell.js"] },
    "_shell.js": { file: "assets/shell-CCCCCCCC.js", css: ["assets/shell-DDDDDDDD.css"], imports: ["_shell.js"] },
  };
  await writeFile(join(folder, ".vite/manifest.json"), JSON.stringify(manifest));
  const { body } = await get("/operations");
  const named = [...body.matchAll(/(?:href|src)="\/app\/assets\/([a-z]+-[A-Z]+\.\w+)"/g)].map(([, name]) => name);
  expect(named).toEqual(["shell-DDDDDDDD.css", "hub-BBBBBBBB.css", "shell-CCCCCCCC.js", "hub-AAAAAAAA.js"]);
});

test("a page names the script that its address will import, with its styles, and what it will ask, so that nothing waits for another", async () => {
  await build();
  const manifest = {
    "src/hub/main.tsx": { file: "assets/hub-AAAAAAAA.js", name: "hub", isEntry: true, imports: ["_shell.js"] },
    "_shell.js": { file: "assets/shell-CCCCCCCC.js" },
    "src/hub/operations.tsx": {
      file: "assets/operations-EEEEEEEE.js",
      imports: ["_shell.js", "_list.js"],
      css: ["assets/operations-FFFFFFFF.css"],
    },
    "_list.js": { file: "assets/list-GGGGGGGG.js" },
  };
  await writeFile(join(folder, ".vite/manifest.json"), JSON.stringify(manifest));
  const named = async (url: string) =>
    [...(await get(url)).body.matchAll(/<link rel="([a-z]+)"[^>]* href="([^"]+)">/g)].map(([, rel, href]) => [
      rel,
      href,
    ]);
  const operations = await named("/operations");
  expect(operations.filter(([rel]) => rel === "modulepreload").map(([, href]) => href)).toEqual([
    "/app/assets/shell-CCCCCCCC.js",
    "/app/assets/list-GGGGGGGG.js",
    "/app/assets/operations-EEEEEEEE.js",
  ]);
  expect(operations.filter(([rel]) => rel === "preload").map(([, href]) => href)).toEqual([
    "/app/assets/operations-FFFFFFFF.css",
    "/api/auth/user",
  ]);
  expect((await named("/audit")).filter(([rel]) => rel === "modulepreload")).toHaveLength(1);
});

test.each(["/operations", "/settings", "/contributors", "/contributors/ada", "/audit"])(
  "%s is the app, under a policy without inline scripts, with a nonce for styles that is new each time",
  async (path) => {
    await build();
    const [one, two] = [await get(path), await get(path)];
    const nonceOf = (answer: typeof one) => /name="style-nonce" nonce="([0-9a-f]{32})"/.exec(answer.body)?.[1];
    const policy = String(one.headers["content-security-policy"]);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain(`style-src 'self' 'nonce-${nonceOf(one)}';`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(nonceOf(two)).not.toBe(nonceOf(one));
    expect(one.headers["cache-control"]).toBe("no-store");
    expect(one.body).not.toMatch(/<script(?![^>]* src=)/);
  },
);

test("files have names with a hash and are kept for ever, compressed for who takes that", async () => {
  await build();
  const plain = await get("/app/assets/hub-AAAAAAAA.js");
  expect([plain.statusCode, plain.body]).toEqual([200, "let a = 1;"]);
  expect(plain.headers).toMatchObject({
    "cache-control": "public, max-age=31536000, immutable",
    "content-type": "text/javascript; charset=utf-8",
    vary: "accept-encoding",
  });
  const small = await get("/app/assets/hub-AAAAAAAA.js", { "accept-encoding": "gzip, br" });
  expect([small.headers["content-encoding"], small.body]).toEqual(["br", "compressed"]);
});

test.each([
  "/app/assets/..%2Fsecret.txt",
  "/app/assets/../secret.txt",
  "/app/assets/secret.txt",
  "/app/assets/hub-AAAAAAAA.js.br",
  "/app/assets/hub-CCCCCCCC.js",
  "/app/.vite/manifest.json",
])("%s is not given out", async (path) => {
  await build();
  const answer = await get(path);
  expect(answer.statusCode).toBe(404);
  expect(answer.body).not.toContain("secret");
});

test("a build without a valid manifest counts as no build", async () => {
  await mkdir(join(folder, ".vite"));
  await writeFile(join(folder, ".vite/manifest.json"), "{");
  expect((await get("/operations")).statusCode).toBe(503);
});
