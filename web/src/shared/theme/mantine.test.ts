import { existsSync, globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const web = join(import.meta.dirname, "../../..");
const styles = join(dirname(createRequire(import.meta.url).resolve("@mantine/core/styles.css")), "styles");

test("every Mantine component that a page imports has its styles in the build", () => {
  const included = readFileSync(join(import.meta.dirname, "mantine.css"), "utf8");
  const missing = globSync("{src,dev}/**/*.tsx", { cwd: web })
    .flatMap((file) => importsOf(readFileSync(join(web, file), "utf8")))
    .filter((name) => existsSync(join(styles, `${name}.css`)) && !included.includes(`/${name}.css"`));
  expect(missing).toEqual([]);
});

function importsOf(source: string): string[] {
  return [...source.matchAll(/import \{([^}]*)\} from "@mantine\/core"/g)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim().replace(/^type /, "")),
  );
}
