import { isLoopback, UsageError } from "@nest/kit";
import { describe, expect, test } from "vitest";
import { readNestYaml } from "./nest-yaml.ts";
import { hubLink, readSettings } from "./settings.ts";

describe("nest.yaml", () => {
  test("neither token nor app id refuses to boot with the spec's sentence", () => {
    expect(() => readNestYaml("project: {org: acme}\n", "nest.yaml")).toThrow(
      "github.token or github.app_id is required",
    );
  });

  test.each(["github: {token: abc}", "github: {app_id: 17}", "github: {app_id: '17'}"])(
    "%s is enough to boot",
    (yaml) => {
      expect(readNestYaml(yaml, "nest.yaml").acmm_level).toBe(2);
    },
  );

  test("an empty section and unknown keys are tolerated", () => {
    const config = readNestYaml("agents:\nweather: fine\ngithub: {token: abc, colour: red}\n", "nest.yaml");
    expect(config.agents).toEqual({});
  });

  test.each(["nest_type", "hive_type"])("hub.%s says what kind of nest it is", (key) => {
    const config = readNestYaml(`github: {token: abc}\nhub: {${key}: hosted}\n`, "nest.yaml");
    expect(config.hub.nest_type).toBe("hosted");
  });

  test("a fault names its key", () => {
    const read = () => readNestYaml("github: {token: abc}\nacmm_level: 9\nproject: {repos: 4}\n", "nest.yaml");
    expect(read).toThrow(UsageError);
    expect(faultsOf(read).map((fault) => fault.split(":")[0])).toEqual(["project.repos", "acmm_level"]);
  });
});

describe("the environment", () => {
  test("has the contract's defaults", () => {
    expect(readSettings({})).toMatchObject({
      dataFolder: "/data",
      host: "127.0.0.1",
      terminalPort: 3001,
      clockScale: 1,
    });
  });

  test("a bad port is named", () => {
    expect(() => readSettings({ NEST_SPOKE_TERMINAL_PORT: "many" })).toThrow("NEST_SPOKE_TERMINAL_PORT");
  });

  test("the test clock is refused on an address that others can reach", () => {
    expect(() => readSettings({ NEST_TEST_CLOCK_SCALE: "10", NEST_SPOKE_HOST: "0.0.0.0" })).toThrow("loopback");
  });

  test.each([
    ["127.0.0.1", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["127.evil.example", false],
    ["0.0.0.0", false],
  ])("%s is loopback: %s", (host, loopback) => {
    expect(isLoopback(host)).toBe(loopback);
  });

  test("its hub address wins over the file's, and hub.enabled false means no hub", () => {
    const settings = readSettings({ NEST_HUB_URL: "http://hub.test:1/" });
    const config = readNestYaml("github: {token: abc}\nhub: {url: 'https://other.test'}\n", "nest.yaml");
    expect(hubLink(settings, config)?.base).toBe("http://hub.test:1");
    expect(hubLink(settings, { ...config, hub: { ...config.hub, enabled: false } })).toBeUndefined();
  });
});

function faultsOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (thrown) {
    return (thrown as UsageError).faults;
  }
  return [];
}
