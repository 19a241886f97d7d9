import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  packages: Record<
    string,
    { version?: string; integrity?: string; link?: boolean; os?: string | string[]; cpu?: string | string[] }
  >;
};
const installed = Object.entries(lock.packages).filter(([path, { link }]) => path.startsWith("node_modules/") && !link);

test("the lock file is what the manifests ask for, whatever the registry has got since", () => {
  const made = spawnSync(process.execPath, ["scripts/lock.mjs", "-check"], { cwd: root, encoding: "utf8" });
  expect([made.status, made.stdout.trim(), made.stderr.replace(/^npm warn.*\n/gm, "")]).toEqual([
    0,
    "package-lock.json is what the manifests make",
    "",
  ]);
}, 300_000);

test("every package in it is named by its digest", () => {
  expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
});

test("the project brings a current Node on every platform, the same on both kinds of processor", () => {
  const nodes = installed.filter(([path]) => /^node_modules\/node-(?:bin-)?(?:linux|darwin)-/.test(path));
  const brought = nodes.map(([, { os, cpu, version }]) => `${[os].flat()[0]} ${[cpu].flat()[0]} ${version}`);
  const [linux, darwin] = ["linux", "darwin"].map((os) => brought.filter((one) => one.startsWith(os)).sort());
  const versionsOf = (list: string[] = []) => new Set(list.map((one) => one.split(" ")[2]));
  expect([linux?.length, darwin?.length]).toEqual([2, 2]);
  for (const versions of [versionsOf(linux), versionsOf(darwin)]) {
    expect(versions.size).toBe(1);
    expect(Number([...versions][0]?.split(".")[0])).toBeGreaterThanOrEqual(24);
  }
  expect(brought.some((one) => one.endsWith(` ${process.versions.node}`))).toBe(true);
});
