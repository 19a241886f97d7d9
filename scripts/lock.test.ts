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

test("the lock file is what the manifests make, made anew with nothing installed", () => {
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

test("the project brings one and the same Node on every platform", () => {
  const nodes = installed.filter(([path]) => /^node_modules\/node-(?:bin-)?(?:linux|darwin)-/.test(path));
  const platforms = nodes.map(([, { os, cpu }]) => `${[os].flat()[0]} ${[cpu].flat()[0]}`);
  expect(platforms.sort()).toEqual(["darwin arm64", "darwin x64", "linux arm64", "linux x64"]);
  expect(new Set(nodes.map(([, { version }]) => version)).size).toBe(1);
  expect(nodes[0]?.[1].version).toBe(process.versions.node);
});
