import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { readonly workspaces: readonly string[] };
/** Every package whose errors people can see, found by listing the folders. */
const ROOMS = manifest.workspaces.filter((name) => name !== "test" && name !== "bench");

/** Codes as they are written where errors are made: `new NestError("code"`, or `super("code"` of a class of errors. */
function codesInSource(): Set<string> {
  const codes = new Set<string>(["bad_configuration"]);
  for (const room of ROOMS) {
    for (const name of readdirSync(join(room, "src"), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts") || name.endsWith(".test.ts") || name.includes("testing")) continue;
      const text = readFileSync(join(room, "src", name), "utf8");
      for (const [, code] of text.matchAll(/(?:new NestError(?:<[^>]*>)?|super)\(\s*"([a-z0-9_]+)"/g))
        codes.add(code ?? "");
    }
  }
  return codes;
}

test("docs/errors.md has one heading for each error code, and none for a code that is gone", () => {
  const headings = [...readFileSync("docs/errors.md", "utf8").matchAll(/^### `([a-z0-9_]+)`$/gm)].map(
    ([, code]) => code,
  );
  expect([...headings].sort()).toEqual([...new Set(headings)].sort());
  expect([...headings].sort()).toEqual([...codesInSource()].sort());
});
