import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Log, silentLog } from "@nest/kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Booted, bootConfiguration } from "./boot.ts";
import { rejectedFiles } from "./rejected-files.ts";
import { readSettings } from "./settings.ts";

const SEED = "# ours\nproject: {org: acme, repos: [one]}\ngithub: {token: hush-hush} # never told\nacmm_level: 2\n";
const POD = { KUBERNETES_SERVICE_HOST: "10.0.0.1" };
const CONTAINER = { NEST_CONTAINER: "1" };

let folder = "";
let data = "";
let config = "";
let environment: Record<string, string> = {};
let warned: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-boot-"));
  data = join(folder, "data");
  config = join(folder, "etc", "nest.yaml");
  await Promise.all([mkdir(data), mkdir(join(folder, "etc"))]);
  environment = {};
  warned = [];
});
afterEach(() => rm(folder, { recursive: true }));

const settings = () =>
  readSettings({ NEST_DATA_DIR: data, NEST_CONFIG: config, NEST_SEED: join(folder, "seed.yaml"), ...environment });
const log = () => ({ ...silentLog(), warn: (told: unknown) => warned.push(JSON.stringify(told)) }) as unknown as Log;
const boot = (): Promise<Booted> => bootConfiguration({ settings: settings(), log: log(), version: "0.1.0" });
const inData = (name: string) => readFile(join(data, name), "utf8");
const put = (name: string, text: string) => writeFile(join(data, name), text);

describe("at boot", () => {
  test("the seed is copied to the configuration's place when there is none yet", async () => {
    await writeFile(join(folder, "seed.yaml"), SEED);
    await rm(join(folder, "etc"), { recursive: true });
    expect((await boot()).config.acmm_level).toBe(2);
    expect(await readFile(config, "utf8")).toBe(SEED);
  });

  test("without configuration and seed it says which file is missing", async () => {
    await expect(boot()).rejects.toThrow(`NEST_CONFIG: ${config}: there is no such file`);
  });

  test.each([{}, POD, CONTAINER])(
    "the overlay is laid over the seed and both are written as .runtime and .bak: %o",
    async (where) => {
      environment = where;
      await writeFile(config, SEED);
      await put("nest.yaml.dashboard", "acmm_level: 4\ngovernor: {eval_interval_s: 60}\n");
      expect((await boot()).config).toMatchObject({
        acmm_level: 4,
        governor: { eval_interval_s: 60 },
        project: { org: "acme" },
      });
      const runtime = await inData("nest.yaml.runtime");
      expect(runtime).toContain("# ours\n");
      expect(runtime).toContain("token: hush-hush");
      expect(runtime).toMatch(/^acmm_level: 4$/m);
      expect(await inData("nest.yaml.bak")).toBe(runtime);
      const isOwn = (await readFile(config, "utf8")) === runtime;
      // On a machine the configuration file is people's, and stays as they wrote it.
      expect(isOwn).toBe(Object.keys(where).length > 0);
    },
  );

  test("booting again changes nothing, and what people wrote stays known below the overlay", async () => {
    environment = CONTAINER;
    await writeFile(config, SEED);
    await put("nest.yaml.dashboard", "acmm_level: 4\n");
    await boot();
    const before = await Promise.all((await readdir(data)).map(inData));
    const again = await boot();
    expect(await Promise.all((await readdir(data)).map(inData))).toEqual(before);
    expect([again.config.acmm_level, again.seed.tree.acmm_level]).toEqual([4, 2]);
    await rm(join(data, "nest.yaml.dashboard"));
    expect((await boot()).config.acmm_level).toBe(2);
  });
});

describe("the runtime configuration", () => {
  const RUNTIME = SEED.replace("acmm_level: 2", "acmm_level: 5");

  test.each([{}, CONTAINER])(
    "is restored over the configuration file on a container host and on LXC: %o",
    async (where) => {
      environment = where;
      await writeFile(config, SEED);
      await put("nest.yaml.runtime", RUNTIME);
      expect((await boot()).config.acmm_level).toBe(5);
      expect(await readFile(config, "utf8")).toContain("acmm_level: 5");
      expect(await inData("nest.yaml.replaced")).toBe(SEED);
    },
  );

  test("is not restored in a pod", async () => {
    environment = POD;
    await writeFile(config, SEED);
    await put("nest.yaml.runtime", RUNTIME);
    expect((await boot()).config.acmm_level).toBe(2);
  });

  test("is what a container starts from where the configuration file is gone", async () => {
    environment = CONTAINER;
    await put("nest.yaml.runtime", RUNTIME);
    expect((await boot()).config.acmm_level).toBe(5);
    expect(await readFile(config, "utf8")).toContain("acmm_level: 5");
  });

  test("under its legacy name counts only when it is the sole file and not of this version", async () => {
    await writeFile(config, SEED);
    await put("nest.yaml.bak", RUNTIME);
    expect((await boot()).config.acmm_level).toBe(5);
    await rm(join(data, "nest.yaml.runtime"));
    await writeFile(config, SEED);
    // The boot before wrote this .bak itself.
    expect((await boot()).config.acmm_level).toBe(2);
  });

  test("wins on a container host over later edits of the file, which are kept and told of", async () => {
    environment = CONTAINER;
    await writeFile(config, SEED);
    await boot();
    await writeFile(config, SEED.replace("acmm_level: 2", "acmm_level: 6"));
    const booted = await boot();
    expect(booted.config.acmm_level).toBe(2);
    expect(await inData("nest.yaml.replaced")).toContain("acmm_level: 6");
    expect(await rejectedFiles(settings(), booted.seed.text)).toEqual([
      { file: join(data, "nest.yaml.replaced"), reason: expect.stringContaining("which wins at each start") },
    ]);
  });

  test.each([{}, CONTAINER])("that somebody edited by hand is the source of truth as it is then: %o", async (where) => {
    environment = where;
    await writeFile(config, SEED);
    await boot();
    await put("nest.yaml.runtime", (await inData("nest.yaml.runtime")).replace("acmm_level: 2", "acmm_level: 5"));
    expect((await boot()).config.acmm_level).toBe(5);
    expect((await boot()).config.acmm_level).toBe(5);
  });

  test("does not hide later edits of the file on a machine, where the overlay wins for the keys it has", async () => {
    await writeFile(config, SEED);
    await put("nest.yaml.dashboard", "project: {repos: [two]}\n");
    await boot();
    await writeFile(config, SEED.replace("acmm_level: 2", "acmm_level: 6").replace("[one]", "[three]"));
    expect((await boot()).config).toMatchObject({ acmm_level: 6, project: { repos: ["two"] } });
  });

  test.each([
    ["half-written", "project: {org: ac"],
    ["no map of keys", "- one\n- two\n"],
    ["not enough to start with", "acmm_level: 3\n"],
    ["of 10 MB", "a".repeat(10 * 1024 * 1024)],
  ])("that is %s is put aside, and the configuration file is used", async (_what, text) => {
    environment = CONTAINER;
    await writeFile(config, SEED);
    await put("nest.yaml.runtime", text);
    const booted = await boot();
    expect(booted.config.acmm_level).toBe(2);
    expect(warned.join()).toContain("nest.yaml.runtime.rejected");
    const [rejected] = await rejectedFiles(settings(), booted.seed.text);
    expect(rejected?.file).toBe(join(data, "nest.yaml.runtime.rejected"));
  });
});

describe("an overlay", () => {
  beforeEach(() => writeFile(config, SEED));

  test.each([
    ["that cannot be read", "acmm_level: [", "not valid YAML"],
    ["that is no map of keys", "just words\n", "must be a map of keys"],
    ["with a bomb in it", bomb(), "too many of them"],
    [
      "of another project",
      "project: {org: globex}\nacmm_level: 5\n",
      "it is of the project globex, and this nest is of acme",
    ],
    ["that names __proto__", "project: {__proto__: {org: x}}\n", "__proto__"],
  ])("%s is rejected: the last good one is used, and it is said", async (_what, text, because) => {
    await put("nest.yaml.dashboard", "acmm_level: 4 # chosen\n");
    await boot();
    await put("nest.yaml.dashboard", text);
    const booted = await boot();
    expect(booted.config.acmm_level).toBe(4);
    expect(warned.join()).toContain(because);
    const told = await rejectedFiles(settings(), booted.seed.text);
    expect(told).toEqual([
      { file: join(data, "nest.yaml.dashboard.rejected"), reason: expect.stringContaining(because) },
    ]);
    expect(told[0]?.reason).toContain("the last good one is used");
    expect(await inData("nest.yaml.dashboard")).toBe("acmm_level: 4 # chosen\n");
    expect(await inData("nest.yaml.dashboard.rejected")).toBe(text);
  });

  test("that was never good leaves the seed alone in force", async () => {
    await put("nest.yaml.dashboard", "project: {org: globex}\n");
    expect((await boot()).config.project.org).toBe("acme");
    expect(await readdir(data)).not.toContain("nest.yaml.dashboard");
  });

  test("of whoever claims a placeholder gives the nest its project", async () => {
    await writeFile(config, "project: {org: pool}\ngithub: {app_id: 999999999}\n");
    await put("nest.yaml.dashboard", "project: {org: globex}\ngithub: {app_id: 17}\n");
    expect((await boot()).config.project.org).toBe("globex");
  });

  test("with which no nest could start refuses to boot with one line per fault", async () => {
    await put("nest.yaml.dashboard", "acmm_level: 9\nproject: {repos: 4}\n");
    await expect(boot()).rejects.toMatchObject({
      code: "bad_configuration",
      faults: [expect.stringMatching(/^project\.repos: /), expect.stringMatching(/^acmm_level: /)],
    });
  });
});

function bomb(): string {
  const line = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(of).join(", ")}]\n`;
  return [..."bcdefghi"].reduce((text, name, at) => text + line(name, `*${"abcdefgh"[at]}`), line("a", "x"));
}
