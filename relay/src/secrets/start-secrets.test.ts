import { access, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isSecret, type StartingProcess, takeSecrets } from "./start-secrets.ts";

let folder: string;
let became: { file: string; args: string[]; environment: Record<string, string> } | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-start-test-"));
  became = undefined;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const me = (more: Partial<StartingProcess> = {}): StartingProcess => ({
  pid: 7,
  platform: "linux",
  execPath: "/node",
  execArgv: ["--flag"],
  argv: ["/node", "/main.ts", "relay"],
  execve: (file, args, environment) => {
    became = { file, args, environment };
  },
  ...more,
});
const given = { PATH: "/usr/bin", GH_TOKEN: "secret-1", NEST_HUB: "ws://hub", HTTPS_PROXY: "http://me:pass@proxy" };

describe("a relay that was started with secrets in its environment", () => {
  test("becomes itself without them, and then has them again", async () => {
    takeSecrets(given, me());
    const { NEST_SECRETS_FROM: from = "", ...rest } = became?.environment ?? {};
    expect(became).toMatchObject({ file: "/node", args: ["/node", "--flag", "/main.ts", "relay"] });
    expect(rest).toEqual({ PATH: "/usr/bin", NEST_HUB: "ws://hub" });
    expect((await stat(from)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(from))).mode & 0o777).toBe(0o700);
    const environment = became?.environment ?? {};
    became = undefined;
    expect(takeSecrets(environment, me())).toEqual(given);
    expect(became).toBeUndefined();
    await expect(access(dirname(from))).rejects.toThrow("ENOENT");
  });

  test("as a container's first process becomes an init with itself below", async () => {
    await writeFile(join(folder, "tini"), "", { mode: 0o755 });
    takeSecrets({ ...given, PATH: folder }, me({ pid: 1 }));
    expect(became?.file).toBe(join(folder, "tini"));
    expect(became?.args).toEqual(["tini", "-s", "--", "/node", "--flag", "/main.ts", "relay"]);
    await rm(dirname(became?.environment.NEST_SECRETS_FROM ?? ""), { recursive: true });
    takeSecrets({ PATH: folder, NEST_SECRETS_FROM: "-" }, me({ pid: 1 }));
    expect(became?.environment).toEqual({ PATH: folder, NEST_SECRETS_FROM: "-" });
  });

  test.each([[{ platform: "darwin" }], [{ execve: undefined }]])("stays as it is where it cannot: %j", (more) => {
    expect(takeSecrets(given, me(more))).toEqual(given);
    expect(became).toBeUndefined();
  });
});

test("secrets handed over in a file are read, and the file removed", async () => {
  const file = join(folder, "secrets.json");
  await writeFile(file, JSON.stringify({ NEST_REGISTRATION_TOKEN: "t" }));
  expect(takeSecrets({ PATH: "/x", NEST_SECRETS_FROM: file }, me())).toEqual({
    PATH: "/x",
    NEST_REGISTRATION_TOKEN: "t",
  });
  await expect(readFile(file)).rejects.toThrow("ENOENT");
  await writeFile(file, "[1]");
  expect(() => takeSecrets({ NEST_SECRETS_FROM: file }, me())).toThrow("NEST_SECRETS_FROM: not a JSON object of texts");
});

test.each([
  ["GH_TOKEN", "x", true],
  ["ANTHROPIC_API_KEY", "x", true],
  ["NEST_REGISTRATION_TOKEN", "x,y", true],
  ["NEST_LITELLM_ENDPOINT", "https://me:pass@proxy.example", true],
  ["NEST_LITELLM_ENDPOINT", "https://proxy.example", false],
  ["GH_TOKEN", "", false],
  ["SSH_AUTH_SOCK", "/run/agent", false],
])("whether %s=%j is a secret: %j", (name, value, expected) => {
  expect(isSecret(name, value)).toBe(expected);
});
