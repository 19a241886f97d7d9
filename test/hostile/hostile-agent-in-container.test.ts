import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { AgentScene } from "../harness/agent-scene.ts";
import { readableByOthers } from "../harness/process-here.ts";

/** Imitates the part of a container that these stories need: a process namespace of its own, in which the relay is process 1. */
const CONTAINER = ["unshare", "--user", "--map-current-user", "--pid", "--fork", "--kill-child", "--mount-proc"];
/** An id without an account: the user who runs the relay when the test runs as root. */
const USER = process.getuid?.() === 0 ? 61_002 : undefined;

const impossible = await whyNoContainer();
if (impossible !== undefined) console.log(`skipped: ${impossible}`);

/** Why this machine cannot give a relay processes of its own as a container does; undefined when it can. */
async function whyNoContainer(): Promise<string | undefined> {
  if (USER !== undefined && !(await readableByOthers())) return "other users cannot read this checkout";
  const [program = "", ...args] = CONTAINER;
  return promisify(execFile)(program, [...args, "true"], USER === undefined ? {} : { uid: USER, gid: USER }).then(
    () => undefined,
    () => "this system gives no process namespace",
  );
}

const ends = 'echo "NEST_VERDICT: no_work_needed"';
/** Leaves a process behind, in a session of its own and with an empty environment, that keeps reading the other processes. */
const flee = (name: string) =>
  `env -i PATH="$PATH" setsid sh -c 'cd "$0"; while :; do : ${name}; cat /proc/[0-9]*/environ >> seen; sleep 0.2; done' "$HOME" </dev/null >/dev/null 2>&1 &`;

describe.skipIf(impossible !== undefined)("in a container without bubblewrap, an agent", { timeout: 60_000 }, () => {
  async function aScene(script: string) {
    const environment = { NEST_CONTAINER: "1", NEST_SANDBOX: "off", OPENAI_API_KEY: "key-of-the-volunteer" };
    const user = USER === undefined ? {} : { user: USER };
    const scene = await AgentScene.set("hostile", { script, environment, within: CONTAINER, ...user });
    // `unshare` passes no other signal on.
    return { scene, [Symbol.dispose]: () => scene.relay.process.signal("SIGKILL") };
  }

  test("finds no secret of the relay's in the environment of any process", async () => {
    const made = await aScene(`[ "$1" = --version ] && { echo 1.2.3; exit 0; }
      for file in /proc/[0-9]*/environ; do echo "$file"; tr '\\0' '\\n' < $file; done; ${ends}`);
    await using scene = made.scene;
    using _ = made;
    const printed = await scene.transcripts();
    expect(printed).toContain("/proc/1/environ");
    expect(printed).toContain("NEST_HUB=");
    expect(printed).not.toMatch(/REGISTRATION_TOKEN|key-of-the-volunteer/);
    expect(scene.relay.process.said).toMatch(
      /warning: agents .* share it with this program and .*: NEST_SANDBOX is off/,
    );
  });

  test("leaves no process behind, neither from its version probe nor from a task", async () => {
    const made = await aScene(`[ "$1" = --version ] && { ${flee("probe")} sleep 0.3; echo 1.2.3; exit 0; }
      ps -e -o args= | grep ': [p]robe' && echo "PROBE ALIVE"
      ${flee("task")} sleep 0.5; ps -e -o args= | grep -q ': [t]ask' && echo "task fled"; ${ends}`);
    await using scene = made.scene;
    using _ = made;
    const printed = await scene.transcripts();
    expect(printed).toContain("task fled");
    expect(printed).not.toContain("PROBE ALIVE");
    expect((await scene.agents()).filter((one) => one.includes("while :"))).toEqual([]);
    expect(await scene.relay.status()).toMatchObject({ backend: "claude" });
  });
});
