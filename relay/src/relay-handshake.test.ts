import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RelayHere, TOKEN, until } from "./testing/relay-here.ts";
import { aTask, ScriptedHub } from "./testing/scripted-hub.ts";

let hub: ScriptedHub;
let relay: RelayHere;

beforeEach(async () => {
  hub = await ScriptedHub.start();
  relay = await RelayHere.make();
});
afterEach(async () => {
  await relay[Symbol.asyncDispose]();
  await hub.stop();
});

describe("the handshake", () => {
  test("declares backend, model, versions, additions and facts", async () => {
    relay.start({
      NEST_HUB: hub.address,
      AGENT_MODEL: "claude-sonnet-5",
      NEST_CONTAINER_RUNTIME: "podman",
      GH_TOKEN: "ghp_x_x_x_x_x",
    });
    const visit = await hub.visit();
    expect(visit.heard[0]).toMatchObject({
      registration_token: TOKEN,
      cli_backend: "claude",
      model: "claude-sonnet-5",
      protocol_version: "1.2",
      relay_protocol_version: "1.2",
      capabilities: {
        container_runtime: "podman",
        os: process.platform,
        arch: process.arch,
        agent_cli_version: "agent-ok 1.2.3",
        credential_type: "pat",
        relay_capabilities: ["task_ack", "task_declined", "task_push", "withheld_counts", "limits_left"],
      },
    });
  });

  test("gives a proof in place of the token where the hub takes one and the identity is known", async () => {
    hub.manners = { challenge: ["auth_proof"] };
    relay.start({ NEST_HUB: hub.address, NEST_CONTRIBUTOR_ID: "c-0a1b2c3d4e5f" });
    const visit = await hub.visit();
    const { authProof } = await import("./session/auth.ts");
    expect(visit.heard[0]).toMatchObject({ contributor_id: "c-0a1b2c3d4e5f", auth_proof: authProof(TOKEN, hub.nonce) });
    expect(visit.frames.join("")).not.toContain(TOKEN);
  });

  test("refused for the model prints the accepted ones and exits 1", async () => {
    hub.manners = {
      refuse: {
        type: "auth_failed",
        // Our hub names the models in the reason too, and a pattern may hold any word: "moderate" holds "rate".
        reason: "model not accepted; accepted: moderate-*, /^gpt-5/",
        accepted_models: ["moderate-*", "/^gpt-5/"],
      },
    };
    const child = relay.start({ NEST_HUB: hub.address, AGENT_MODEL: "other" });
    expect(await RelayHere.exit(child)).toBe(1);
    expect(relay.said).toContain("model not accepted");
    expect(relay.said).toContain("moderate-*, /^gpt-5/");
    expect(await relay.status()).toMatchObject({ state: "refused" });
  });

  test("refused for the token exits 1 and does not repeat the token", async () => {
    hub.manners = { refuse: { type: "auth_failed", reason: `invalid token ${TOKEN}` } };
    const child = relay.start({ NEST_HUB: hub.address });
    expect(await RelayHere.exit(child)).toBe(1);
    expect(relay.said).toContain("invalid token [secret]");
    expect(relay.said).not.toContain(TOKEN);
  });

  test("with TLS at a port that does not speak it says so in words", async () => {
    relay.start({ NEST_HUB: hub.address.replace("ws://", "wss://") });
    await until(() => relay.said.includes("the hub does not speak TLS there"), "the relay has tried");
  });

  test("that is refused for now is told as that, and not as a hub that is away", async () => {
    hub.manners = { refuse: { type: "auth_failed", reason: "authentication timeout" } };
    relay.start({ NEST_HUB: hub.address });
    await until(() => relay.said.includes("hub refuses for now"), "the relay has tried");
    expect(relay.said).not.toContain("hub away");
  });

  test("that only timed out is tried again", async () => {
    hub.manners = { refuse: { type: "auth_failed", reason: "authentication timeout" } };
    relay.start({ NEST_HUB: hub.address });
    await hub.visit();
    hub.manners = {};
    await (await hub.visit()).next("ready");
  });

  test.each([
    ["1.0", "older"],
    ["1.1", "older"],
    ["1.3", "newer"],
    ["2.0", "incompatible"],
  ])("with a hub of protocol %s says once that it is %s, and works", async (protocolVersion, word) => {
    hub.manners = { protocolVersion };
    relay.start({ NEST_HUB: hub.address });
    (await hub.visit()).cut();
    await (await hub.visit()).next("ready");
    const host = new URL(hub.address).host;
    const line = `hub ${host} speaks protocol ${protocolVersion} (${word}), this relay 1.2`;
    expect(relay.said.split(line).length - 1).toBe(1);
  });
});

describe("a hub that states", () => {
  test.each([
    ["the same version", "1.2"],
    ["no version", undefined],
    ["what is no version", "one"],
  ])("%s is worked for without a word about it", async (_, protocolVersion) => {
    hub.manners = { protocolVersion };
    relay.start({ NEST_HUB: hub.address });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await visit.next("task_complete");
    expect(relay.said).not.toContain("speaks protocol");
  });
});

describe("bad configuration", () => {
  test.each([
    [{ NEST_HUB: "ws://a,ws://b" }, "NEST_REGISTRATION_TOKEN: 1 token(s) for 2 hub(s)"],
    [{ NEST_HUB: "ws://a", AGENT_BACKEND: "abacus" }, 'AGENT_BACKEND: unknown backend "abacus"'],
    [{ NEST_HUB: "ws://a", CONTRIBUTOR_MODE: "loud" }, "CONTRIBUTOR_MODE: must be interactive or headless"],
    [{ NEST_HUB: "gopher://a" }, "NEST_HUB: "],
    [{ NEST_HUB: "wss://hub.example", NEST_TEST_CLOCK_SCALE: "100" }, "NEST_TEST_CLOCK_SCALE: for tests only"],
    [{ AGENT_BACKEND: "litellm", NEST_AGENT_COMMAND: "" }, "NEST_LITELLM_ENDPOINT: missing"],
    [{ NEST_HUB: ",", NEST_REGISTRATION_TOKEN: "t" }, "NEST_HUB: "],
    [{ NEST_HUB: "ws://a", NEST_REGISTRATION_TOKEN: "" }, "NEST_REGISTRATION_TOKEN: missing"],
  ] as [Record<string, string>, string][])("%j exits 2 and says why", async (environment, line) => {
    const child = relay.start(environment);
    expect(await RelayHere.exit(child)).toBe(2);
    expect(relay.said).toContain(`nest relay: error: ${line}`);
  });

  test("in contributor.env is named by file and line, and nothing of the file is executed", async () => {
    const { mkdir } = await import("node:fs/promises");
    const folder = join(relay.home, ".config/nest");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "contributor.env"), `# mine\nNEST_HUB=ws://a\n$(touch ${relay.home}/executed)\n`);
    const child = relay.start();
    expect(await RelayHere.exit(child)).toBe(2);
    expect(relay.said).toContain("contributor.env:3: not a KEY=VALUE line");
    await expect(readFile(join(relay.home, "executed"))).rejects.toThrow("ENOENT");
  });

  test("is none when contributor.env holds hub and token, and the old names are used", async () => {
    const { mkdir } = await import("node:fs/promises");
    const folder = join(relay.home, ".config/nest");
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, "contributor.env"),
      `HIVE_HUB='${hub.address}'\r\nHIVE_REGISTRATION_TOKEN="${TOKEN}"\n`,
    );
    relay.start({ NEST_REGISTRATION_TOKEN: "" });
    await (await hub.visit()).next("ready");
  });
});
