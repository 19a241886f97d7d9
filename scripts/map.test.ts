import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

/** Names in backquotes that look like files or folders of the tree. */
function filesNamed(line: string): string[] {
  return [...line.matchAll(/`([\w./*-]+)`/g)]
    .map(([, name = ""]) => name)
    .filter((name) => /\.(ts|tsx|mjs|md|json)$/.test(name) || /^[\w-]+\/([\w./-]*\/)?$/.test(name));
}

/** Names in a line of the map that do not exist in the tree. A bare file name belongs to a folder named before it. */
function missingIn(line: string): string[] {
  const folders: string[] = ["."];
  return filesNamed(line).flatMap((name) => {
    if (/[*]|NAME/.test(name)) return [];
    const found = folders.some((folder) => existsSync(join(folder, name)));
    const folder = name.endsWith("/") ? name : dirname(name);
    if (folder !== ".") folders.push(folder);
    return found ? [] : [`${name} (of: ${line.slice(0, 60)})`];
  });
}

test("every file that docs/map.md names exists", () => {
  const lines = readFileSync("docs/map.md", "utf8").split("\n");
  expect(lines.flatMap(filesNamed).length).toBeGreaterThan(100);
  expect(lines.flatMap(missingIn)).toEqual([]);
});
