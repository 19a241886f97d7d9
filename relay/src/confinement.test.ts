import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { confinementOf, confinementSentence, confinementWord } from "./confinement.ts";

let path: string;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "nest-confinement-test-"));
});
afterEach(() => rm(path, { recursive: true, force: true }));

function of(more: Record<string, string> = {}) {
  return confinementOf(readConfig({ HOME: path, NEST_HUB: "ws://a", NEST_REGISTRATION_TOKEN: "t", ...more }), path);
}

test("in a container the container is the wall", async () => {
  expect(await of({ NEST_CONTAINER: "1", NEST_SANDBOX: "bubblewrap" })).toEqual({ kind: "container" });
});

test.runIf(process.platform === "linux")("on a host bubblewrap is, where it works", async () => {
  await writeFile(join(path, "bwrap"), "#!/bin/sh\n", { mode: 0o755 });
  expect(await of()).toEqual({ kind: "bubblewrap", binary: join(path, "bwrap") });
});

test.each([
  [{}, /NOT confined and can reach what you can: /],
  [{ NEST_SANDBOX: "off" }, /NOT confined .*: NEST_SANDBOX is off$/],
  [
    { NEST_AGENT_COMMAND: "/opt/mine" },
    /NOT confined .*: NEST_AGENT_COMMAND is a program of your own; NEST_SANDBOX=bubblewrap/,
  ],
] as [Record<string, string>, RegExp][])("with %j nothing is, and it is said plainly", async (more, sentence) => {
  const confinement = await of(more);
  expect(confinementSentence(confinement)).toMatch(sentence);
  expect(confinementWord(confinement)).toBe("agent not confined");
});

test("NEST_SANDBOX=bubblewrap refuses to start without it", async () => {
  await expect(of({ NEST_SANDBOX: "bubblewrap" })).rejects.toThrow(/^NEST_SANDBOX: /);
});
