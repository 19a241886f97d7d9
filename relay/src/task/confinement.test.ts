import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { confinementOf, confinementSentence, confinementWord } from "@nest/agents";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "../settings/config.ts";

let path: string;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "nest-confinement-test-"));
});
afterEach(() => rm(path, { recursive: true, force: true }));

function of(more: Record<string, string> = {}) {
  return confinementOf(readConfig({ HOME: path, NEST_HUB: "ws://a", NEST_REGISTRATION_TOKEN: "t", ...more }), path);
}

/** A machine with a bubblewrap that works. */
const install = () => writeFile(join(path, "bwrap"), "#!/bin/sh\n", { mode: 0o755 });

test.runIf(process.platform === "linux")("each run has walls of its own where bubblewrap works", async () => {
  await install();
  const onHost = await of();
  expect(onHost).toMatchObject({ kind: "bubblewrap", runs: "sandboxed", bubblewrap: { binary: join(path, "bwrap") } });
  expect(confinementSentence(onHost)).toMatch(/^agents are confined by bubblewrap: .* private copy of the CLI's login/);
  const inContainer = await of({ NEST_CONTAINER: "1" });
  expect(inContainer).toMatchObject({ kind: "container", runs: "sandboxed" });
  expect(confinementSentence(inContainer)).toMatch(/^agents are confined to this container, each run by bubblewrap: /);
  expect([onHost, inContainer].map(confinementWord)).toEqual(["agent in bubblewrap", "agent in container"]);
});

test("a container without bubblewrap is the only wall, and it is said what is missing", async () => {
  const confinement = await of({ NEST_CONTAINER: "1" });
  expect(confinement).toMatchObject({ kind: "container", runs: "loose" });
  expect(confinementSentence(confinement)).toMatch(
    /^warning: agents are confined to this container, but share it .* bubblewrap/,
  );
});

test.runIf(process.platform === "linux")(
  "a program of the contributor's own has at least processes of its own",
  async () => {
    await install();
    const confinement = await of({ NEST_AGENT_COMMAND: "/opt/mine" });
    expect(confinement).toMatchObject({ kind: "none", runs: "apart" });
    expect(confinementSentence(confinement)).toMatch(
      /NOT confined .* processes of its own: NEST_AGENT_COMMAND is a program/,
    );
    expect(await of({ NEST_AGENT_COMMAND: "/opt/mine", NEST_SANDBOX: "bubblewrap" })).toMatchObject({
      runs: "sandboxed",
    });
  },
);

test.each([
  [{}, /NOT confined and can reach what you can; .*: bubblewrap/],
  [{ NEST_SANDBOX: "off" }, /NOT confined .*: NEST_SANDBOX is off$/],
] as [Record<string, string>, RegExp][])("with %j nothing is, and it is said plainly", async (more, sentence) => {
  const confinement = await of(more);
  expect(confinementSentence(confinement)).toMatch(sentence);
  expect(confinementWord(confinement)).toBe("agent not confined");
});

test.each([{}, { NEST_CONTAINER: "1" }])("NEST_SANDBOX=bubblewrap refuses to start without it, %j", async (more) => {
  await expect(of({ NEST_SANDBOX: "bubblewrap", ...more })).rejects.toThrow(/^NEST_SANDBOX: /);
});
