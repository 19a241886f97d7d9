import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkOut } from "./checkout.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-checkout-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A git that hangs, with a program of its own that does too, as one of a code host that answers no more. */
async function hangingGit(): Promise<string> {
  const git = join(folder, "git");
  await writeFile(git, `#!/bin/sh\nsleep 600 &\necho $! > '${folder}/pid'\nwait\n`);
  await chmod(git, 0o755);
  return git;
}

test("a checkout that is under way ends at once when its run is stopped, with all that git started", async () => {
  const stop = new AbortController();
  const deps = { git: await hangingGit(), clock: new VirtualClock(0), redact: (text: string) => text };
  const place = { folder, environment: {}, signal: stop.signal };
  const made = checkOut(deps, { webBase: "https://codehost.example", repo: "acme/web" }, place);
  const refused = expect(made).rejects.toThrow("ada stopped it");
  const pid = async () => Number(await readFile(join(folder, "pid"), "utf8").catch(() => ""));
  await expect.poll(pid).toBeGreaterThan(0);
  // It ends when nobody holds its output any more: git is gone by then, and what it started.
  stop.abort(new Error("ada stopped it"));
  await refused;
});
