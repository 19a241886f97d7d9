import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { packLogin, placeLogin, withCarriedLogin } from "./carried-login.ts";

const LOGIN = ".claude/.credentials.json";
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-carried-login-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A container's home: new each time, beside a state folder that stays. */
function home(name: string) {
  return { home: join(folder, name), stateFolder: join(folder, "state") };
}
const packed = (text: string) => packLogin([{ path: LOGIN, text }]) ?? "";

describe("an agent's login that was carried into a container", () => {
  test("lies where the CLI looks for it, readable for nobody else", async () => {
    await placeLogin(packed("first"), home("one"));
    expect(await readFile(join(folder, "one", LOGIN), "utf8")).toBe("first");
    expect((await stat(join(folder, "one", LOGIN))).mode & 0o777).toBe(0o600);
  });

  test("that the CLI renewed, through its file or in its place, is there again in the next container", async () => {
    await placeLogin(packed("first"), home("one"));
    await writeFile(join(folder, "one", LOGIN), "renewed through it");
    const two = await placeLogin(packed("first"), home("two"));
    expect(await readFile(join(folder, "two", LOGIN), "utf8")).toBe("renewed through it");
    await rm(join(folder, "two", LOGIN));
    await writeFile(join(folder, "two", LOGIN), "renewed in its place");
    await two.keep();
    await placeLogin(packed("first"), home("three"));
    expect(await readFile(join(folder, "three", LOGIN), "utf8")).toBe("renewed in its place");
  });

  test("is the person's new one after they signed in anew", async () => {
    await placeLogin(packed("first"), home("one"));
    await writeFile(join(folder, "one", LOGIN), "renewed");
    await placeLogin(packed("signed in anew"), home("two"));
    expect(await readFile(join(folder, "two", LOGIN), "utf8")).toBe("signed in anew");
  });

  test("of one agent stays while the relay works with another agent's", async () => {
    await placeLogin(packed("of claude"), home("one"));
    await writeFile(join(folder, "one", LOGIN), "renewed");
    await placeLogin(packLogin([{ path: ".codex/auth.json", text: "of codex" }]) ?? "", home("two"));
    await placeLogin(packed("of claude"), home("three"));
    expect(await readFile(join(folder, "three", LOGIN), "utf8")).toBe("renewed");
  });

  test("is kept each minute and at the end", async () => {
    const clock = new VirtualClock();
    await withCarriedLogin(packed("first"), { ...home("one"), clock }, async () => {
      await rm(join(folder, "one", LOGIN));
      await writeFile(join(folder, "one", LOGIN), "renewed");
    });
    await placeLogin(packed("first"), home("two"));
    expect(await readFile(join(folder, "two", LOGIN), "utf8")).toBe("renewed");
  });

  test.each(['{"../outside":"x"}', '{"/etc/passwd":"x"}', '{"a/../../b":"x"}', '{"a":1}', "null"])(
    "%s is refused: nothing is written outside of the home",
    async (value) => {
      await expect(placeLogin(value, home("one"))).rejects.toThrow("NEST_AGENT_LOGIN_SECRET");
    },
  );

  test("too large for a container's variable is not carried", () => {
    expect(packLogin([{ path: LOGIN, text: "x".repeat(100_000) }])).toBeUndefined();
    expect(packLogin([])).toBeUndefined();
  });
});
