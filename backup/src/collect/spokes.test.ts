import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "@nest/cluster";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HubUnderTest } from "../testing/a-hub.ts";
import { parseSpokeStream, READ_SPOKE } from "./spoke-stream.ts";

let hub: HubUnderTest;
beforeEach(() => {
  hub = new HubUnderTest();
});
afterEach(() => hub[Symbol.dispose]());

async function manifestOfRun(...flags: string[]) {
  const code = await hub.run("run", "-local", hub.path("archive.enc"), ...flags);
  const dest = hub.path("out");
  await hub.run("extract", "-file", hub.path("archive.enc"), "-dest", dest);
  return { code, dest, manifest: JSON.parse(readFileSync(join(dest, "MANIFEST.json"), "utf8")) };
}

const FILES = {
  "nest.yaml.dashboard": "a: 1\n",
  "nest.yaml.runtime": "b: 2\n",
  "nest-id": "one",
  "app-key-1.pem": "KEY\n\0ü",
};

test("a spoke's configuration, id and app keys are read by one exec in its container", async () => {
  hub.addSpoke("one", FILES);
  const { code, dest, manifest } = await manifestOfRun();
  expect(code).toBe(0);
  expect(manifest.spoke_ids).toEqual(["one"]);
  for (const [name, content] of Object.entries(FILES)) {
    expect(readFileSync(join(dest, "spokes/one", name), "utf8")).toBe(content);
  }
});

test("a spoke with the legacy name only is captured; an absent name is no gap", async () => {
  hub.addSpoke("old", { "nest.yaml.bak": "a: 1\n" });
  const { code, manifest } = await manifestOfRun();
  expect([code, manifest.spoke_ids, manifest.spoke_errors, manifest.skipped]).toEqual([0, ["old"], {}, {}]);
});

test("a spoke without any configuration is listed in spoke_errors and the backup goes on: exit 3", async () => {
  hub.addSpoke("bare", { "nest-id": "bare" });
  hub.addSpoke("one", FILES);
  const { code, manifest } = await manifestOfRun();
  expect(code).toBe(3);
  expect(manifest.spoke_ids).toEqual(["one"]);
  expect(manifest.spoke_errors.bare).toContain(
    "none of nest.yaml.dashboard, nest.yaml.runtime, nest.yaml.bak is there",
  );
});

test("every entry of the fleet ends captured, in spoke_errors, or told as living elsewhere", async () => {
  hub.addSpoke("one", FILES);
  const nests = [
    { id: "one", clusterId: "home" },
    { id: "hosted-lost" },
    { id: "self-hosted" },
    { id: "far", cluster_id: "mars" },
    { id: "Upper/../Case", clusterId: "home" },
    { id: "gone", clusterId: "home" },
    { id: "pulled", clusterId: "pull" },
  ];
  hub.write("hub-registry.json", JSON.stringify({ hives: nests }));
  hub.write(
    "clusters.json",
    JSON.stringify([
      { id: "home", in_cluster: true },
      { id: "pull", pull_only: true },
    ]),
  );
  hub.write("saas/nests/hosted-new/meta.json", JSON.stringify({ id: "hosted-new", cluster_id: "home" }));
  hub.write("saas/nests/hosted-dead/meta.json", JSON.stringify({ id: "hosted-dead", status: "deleted" }));
  const { manifest } = await manifestOfRun();
  expect(manifest.spoke_ids).toEqual(["one"]);
  expect(manifest.spoke_skipped_registry).toEqual({ "self-hosted": "on no cluster of this hub" });
  expect(manifest.spoke_errors).toEqual({
    "Upper/../Case": "its id makes no valid namespace; nothing was run",
    far: 'unknown cluster "mars"',
    gone: "no running pod in nest-hosted-gone",
    "hosted-lost": "its record names no cluster",
    "hosted-new": "no running pod in nest-hosted-hosted-new",
    pulled: 'cluster "pull" cannot be reached from the hub (pull_only)',
  });
});

test("of several pods the running one is read, not one that is ending", async () => {
  hub.addSpoke("one", FILES);
  hub.cluster.addPod("nest-hosted-one", { name: "a-pending", phase: "Pending" }, async () => ({
    exitCode: 1,
    stderr: "",
  }));
  const ending = { name: "a-ending", phase: "Running", isEnding: true };
  hub.cluster.addPod("nest-hosted-one", ending, async () => ({ exitCode: 1, stderr: "" }));
  const { manifest } = await manifestOfRun();
  expect(manifest.spoke_ids).toEqual(["one"]);
});

test("300 spokes with 5 that hang finish inside the deadline; the hanging ones are told", async () => {
  hub.environment = { ...hub.environment, NEST_BACKUP_SPOKE_TIMEOUT_S: "1" };
  const said: Buffer[] = [];
  const request = { namespace: "", pod: "", container: "", signal: hub.stop.signal };
  await hub.shellSpoke("all", FILES)({ ...request, command: READ_SPOKE, stdout: (piece) => void said.push(piece) });
  const program: Program = async ({ stdout }) => {
    for (const piece of said) stdout(piece);
    return { exitCode: 0, stderr: "" };
  };
  for (let number = 0; number < 300; number += 1) {
    hub.addSpoke(`s${number}`, number % 60 === 0 ? () => new Promise<never>(() => {}) : program);
  }
  const started = performance.now();
  const { manifest } = await manifestOfRun();
  expect(performance.now() - started).toBeLessThan(25_000);
  expect(manifest.spoke_ids).toHaveLength(295);
  expect(manifest.spoke_errors.s60).toBe("reading it took longer than 1 s");
});

test("a link or an unreadable file of a spoke is a gap, not a failure", async () => {
  hub.addSpoke("one", { ...FILES, "app-key.pem": "x" });
  const { execFileSync } = await import("node:child_process");
  execFileSync("/bin/sh", ["-c", 'cd "$1" && ln -sf /etc/passwd app-key.pem', "sh", hub.path("spokes/one")]);
  const { code, manifest } = await manifestOfRun();
  expect(code).toBe(3);
  expect(manifest.skipped).toEqual({ "spokes/one/app-key.pem": "a symbolic link" });
});

const WHOLE = [
  "@@NEST-FILE 8 cf7c0eb5c0fb4bb5b0b2f8e1c4d7ab6a3d0f9d4e5b7a6c9d8e7f6a5b4c3d2e1f nest-id",
  "YTogMQo=",
  "@@NEST-END 1",
  "",
];

test.each([
  ["without its end mark", "@@NEST-GAP unreadable nest-id\n", "ended before its end mark"],
  ["with another hash", WHOLE.join("\n"), "does not have the hash"],
  ["with another length", WHOLE.join("\n").replace(" 8 ", " 12 "), "is cut"],
  ["with a name from elsewhere", WHOLE.join("\n").replace("nest-id", "../../etc/passwd"), "not asked for"],
  ["with another count", "@@NEST-END 3\n", "announced 3 files and held 0"],
  ["that is something else", "command not found\n", "could not be understood"],
  ["that is empty", "", "ended before its end mark"],
])("a stream %s is refused", (_, text, reason) => {
  expect(parseSpokeStream(text)).toContain(reason);
});
