import { expect, test } from "vitest";
import { z } from "zod";
import { checkConfig, parseYaml, variable } from "./config.ts";
import { NestError, UsageError } from "./errors.ts";

test("a HIVE_ variable is read when its NEST_ one is absent, and only then", () => {
  expect(variable({ HIVE_HUB: "a" }, "NEST_HUB")).toBe("a");
  expect(variable({ NEST_HUB: "b", HIVE_HUB: "a" }, "NEST_HUB")).toBe("b");
  expect(variable({ NEST_HUB: "", HIVE_HUB: "" }, "NEST_HUB")).toBeUndefined();
  expect(variable({ HIVE_MODEL: "x" }, "AGENT_MODEL")).toBeUndefined();
});

test("every fault of a configuration is a line of its own that begins with the key", () => {
  const schema = z.strictObject({ project: z.strictObject({ org: z.string() }), port: z.int().min(1) });
  try {
    checkConfig(schema, { project: { orgs: "secret-value" }, port: 0 });
    expect.unreachable();
  } catch (thrown) {
    const faults = thrown instanceof NestError ? thrown.faults : [];
    expect(faults.map((fault) => fault.split(":")[0]).sort()).toEqual(["port", "project.org", "project.orgs"]);
    expect(faults.join()).not.toContain("secret-value");
  }
});

test("a YAML fault names the file and the line", () => {
  expect(() => parseYaml("a: 1\nb: [", "hub.yaml")).toThrow(/^hub\.yaml: not valid YAML at line 2/);
});

test("YAML of 10 MB is refused with the limit, before it is parsed", () => {
  const text = "[".repeat(10 * 1024 * 1024);
  expect(() => parseYaml(text, "nest.yaml")).toThrow("nest.yaml: too large for a configuration: the limit is 1048576");
});

test.each(["token: *ghp_0123456789abcdef", "a: &a [x]\nb: [*a, *a, *nothere_ghp_0123456789abcdef]"])(
  "YAML that stumbles over a value does not repeat it: %#",
  (text) => {
    expect(() => parseYaml(text, "nest.yaml")).toThrow(UsageError);
    expect(() => parseYaml(text, "nest.yaml")).toThrow(expect.not.stringContaining("ghp_"));
  },
);
