import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { backends } from "@nest/agents";
import { UsageError } from "@nest/kit";
import { describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { USAGE } from "./usage.ts";

const least = { HOME: "/home/ada", NEST_HUB: "wss://hub.example/contribute", NEST_REGISTRATION_TOKEN: "t" };

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig({ ...least, ...environment });
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.faults;
    throw thrown;
  }
  return [];
}

describe("the relay's environment", () => {
  test("NEST_HUB is one WebSocket address or several, comma-separated, and NEST_REGISTRATION_TOKEN is positional with them", () => {
    const { hubs } = readConfig({
      NEST_HUB: "wss://a.example/contribute, https://b.example/hub",
      NEST_REGISTRATION_TOKEN: "ta,tb",
    });
    expect(hubs.map(({ address, token }) => [address, token])).toEqual([
      ["wss://a.example/api/contribute/ws", "ta"],
      ["wss://b.example/hub", "tb"],
    ]);
  });

  test("NEST_HUB and NEST_REGISTRATION_TOKEN come from contributor.env where the environment has none, and the environment wins", () => {
    const file = { NEST_HUB: "wss://file.example/contribute", NEST_REGISTRATION_TOKEN: "of the file" };
    expect(readConfig({}, file).hubs[0]).toMatchObject({ host: "file.example", token: "of the file" });
    expect(readConfig({ ...least, NEST_REGISTRATION_TOKEN: "own" }, file).hubs[0]).toMatchObject({
      host: "hub.example",
      token: "own",
    });
  });

  test("an address is never repeated with the credentials in it", () => {
    const said = faultsOf({
      NEST_HUB: "gopher://ada:p@ss@hub.example/?key=k",
      NEST_GITHUB_URL: "https://ada:pass@code.example",
    });
    expect(said).toEqual([
      'NEST_HUB: "gopher://hub.example/" is not a ws://, wss://, http:// or https:// address',
      "NEST_GITHUB_URL: must hold no user name or password",
    ]);
  });

  test("a list of hubs and a list of tokens that differ in length refuse to start, and both lengths are named", () => {
    expect(faultsOf({ NEST_REGISTRATION_TOKEN: "a,b,c" })).toEqual([
      "NEST_REGISTRATION_TOKEN: 3 token(s) for 1 hub(s) in NEST_HUB; both lists must have the same length",
    ]);
  });

  test("the registration token is required", () => {
    expect(faultsOf({ NEST_REGISTRATION_TOKEN: "" })[0]).toMatch(/^NEST_REGISTRATION_TOKEN: missing/);
  });

  test("AGENT_BACKEND is claude unless said otherwise, and one of nine", () => {
    expect(readConfig(least).backend.name).toBe("claude");
    const nine = ["claude", "copilot", "goose", "bob", "codex", "pi", "aider", "litellm", "agy"];
    expect(backends.map(({ name }) => name)).toEqual(nine);
    const proxy = { NEST_LITELLM_ENDPOINT: "http://127.0.0.1:4000" };
    for (const name of nine) expect(readConfig({ ...least, ...proxy, AGENT_BACKEND: name }).backend.name).toBe(name);
    expect(faultsOf({ AGENT_BACKEND: "abacus" })[0]).toMatch(
      /^AGENT_BACKEND: unknown backend "abacus"; one of claude, /,
    );
  });

  test("AGENT_MODEL is unset by default, and never a flag", () => {
    expect(readConfig(least).model).toBeUndefined();
    expect(readConfig({ ...least, AGENT_MODEL: "opus" }).model).toBe("opus");
    expect(faultsOf({ AGENT_MODEL: "--yolo" })).toEqual(["AGENT_MODEL: must not begin with a dash"]);
  });

  test("litellm needs the address of its proxy, unless another program stands in", () => {
    expect(faultsOf({ AGENT_BACKEND: "litellm" })[0]).toMatch(/^NEST_LITELLM_ENDPOINT: missing; set it to the address/);
    const standIn = { AGENT_BACKEND: "litellm", NEST_AGENT_COMMAND: "agent" };
    expect(readConfig({ ...least, ...standIn }).agentCommand).toBe("agent");
  });

  test("NEST_HUB is the hub of this machine by default", () => {
    const { NEST_HUB: _, ...none } = least;
    expect(readConfig(none).hubs[0]?.address).toBe("ws://127.0.0.1:8080/api/contribute/ws");
  });

  test("nest relay -h names every variable that is read", async () => {
    const read = await variablesIn(join(import.meta.dirname, "config.ts"));
    expect(read.length).toBeGreaterThan(20);
    for (const name of read) expect(USAGE).toContain(name);
  });

  test("AGENT_REASONING_EFFORT is low, medium or high for agy, a single word for codex, and ignored for others", () => {
    expect(readConfig({ ...least, AGENT_REASONING_EFFORT: "as much as you can" }).effort).toBeUndefined();
    expect(readConfig({ ...least, AGENT_BACKEND: "agy", AGENT_REASONING_EFFORT: "medium" }).effort).toBe("medium");
    expect(faultsOf({ AGENT_BACKEND: "agy", AGENT_REASONING_EFFORT: "xhigh" })).toEqual([
      "AGENT_REASONING_EFFORT: must be low, medium or high for agy",
    ]);
    expect(readConfig({ ...least, AGENT_BACKEND: "codex", AGENT_REASONING_EFFORT: "xhigh" }).effort).toBe("xhigh");
    expect(faultsOf({ AGENT_BACKEND: "codex", AGENT_REASONING_EFFORT: "a b" })).toHaveLength(1);
  });

  test("CONTRIBUTOR_MODE is interactive unless it is headless", () => {
    expect(readConfig(least).mode).toBe("interactive");
    expect(readConfig({ ...least, CONTRIBUTOR_MODE: "headless" }).mode).toBe("headless");
    expect(faultsOf({ CONTRIBUTOR_MODE: "loud" })).toHaveLength(1);
  });

  test("NEST_AGENT_SESSION is the multiplexer session's name, contributor by default", () => {
    expect(readConfig(least).sessionName).toBe("contributor");
    expect(readConfig({ ...least, NEST_AGENT_SESSION: "night-shift" }).sessionName).toBe("night-shift");
    expect(faultsOf({ NEST_AGENT_SESSION: "a;b" })).toHaveLength(1);
  });

  test("NEST_AGENT_ROLE asks for a role; none by default", () => {
    expect(readConfig(least).role).toBeUndefined();
    expect(readConfig({ ...least, NEST_AGENT_ROLE: "quality" }).role).toBe("quality");
  });

  test("NEST_CONTAINER_RUNTIME forces docker, podman or none", () => {
    expect(readConfig(least).containerRuntime).toBeUndefined();
    expect(readConfig({ ...least, NEST_CONTAINER_RUNTIME: "podman" }).containerRuntime).toBe("podman");
    expect(faultsOf({ NEST_CONTAINER_RUNTIME: "lxc" })).toHaveLength(1);
  });

  test("NEST_SANDBOX is auto, bubblewrap or off; NEST_SANDBOX_READ names absolute paths", () => {
    expect(readConfig(least)).toMatchObject({ sandbox: "auto", sandboxRead: [] });
    expect(readConfig({ ...least, NEST_SANDBOX: "off", NEST_SANDBOX_READ: "/a,/b" })).toMatchObject({
      sandbox: "off",
      sandboxRead: ["/a", "/b"],
    });
    expect(faultsOf({ NEST_SANDBOX: "maybe", NEST_SANDBOX_READ: "a" })).toEqual([
      'NEST_SANDBOX: must be auto, bubblewrap, off, not "maybe"',
      "NEST_SANDBOX_READ: absolute paths only, comma-separated",
    ]);
  });

  test("every NEST_ variable is read by its older name where the newer one is absent", () => {
    const { hubs, sessionName } = readConfig({
      HIVE_HUB: "wss://old.example/contribute",
      HIVE_REGISTRATION_TOKEN: "old",
      HIVE_AGENT_SESSION: "older",
      NEST_AGENT_SESSION: "newer",
    });
    expect([hubs[0]?.host, hubs[0]?.token, sessionName]).toEqual(["old.example", "old", "newer"]);
  });

  test("every fault is told at once, one line each, and no line repeats a secret", () => {
    const faults = faultsOf({
      NEST_HUB: "gopher://a",
      NEST_REGISTRATION_TOKEN: "very-secret,x",
      CONTRIBUTOR_MODE: "loud",
    });
    expect(faults.map((line) => line.split(":")[0])).toEqual([
      "NEST_REGISTRATION_TOKEN",
      "NEST_HUB",
      "CONTRIBUTOR_MODE",
    ]);
    expect(faults.join("\n")).not.toContain("very-secret");
  });
});

/** The names that a source file reads, but for the one of tests. */
async function variablesIn(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8");
  const names = [...text.matchAll(/read\("([A-Z_]+)"\)/g)].map(([, name]) => name ?? "");
  return [...new Set(names)].filter((name) => name !== "NEST_TEST_CLOCK_SCALE" && name !== "CONTRIBUTOR_ID");
}
