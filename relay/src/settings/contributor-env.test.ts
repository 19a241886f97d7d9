import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exposureOf, parseContributorEnv } from "./contributor-env.ts";

test("a line that a shell would run is refused by its number, with what to leave out", () => {
  const text = "NEST_HUB=wss://a.example\nexport NEST_REGISTRATION_TOKEN=s3cret\n";
  expect(() => parseContributorEnv(text, "/c.env")).toThrow(
    /^\/c\.env:2: not a KEY=VALUE line: leave out the word export; the file is read, not run$/,
  );
});

test("a file that others on this machine can read is told, with the command that ends it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "nest-contributor-env-"));
  const file = join(folder, "contributor.env");
  try {
    expect(await exposureOf(file)).toBeUndefined();
    await writeFile(file, "NEST_HUB=wss://a.example\n", { mode: 0o600 });
    expect(await exposureOf(file)).toBeUndefined();
    await chmod(file, 0o640);
    expect(await exposureOf(file)).toContain(`chmod 600 ${file}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
