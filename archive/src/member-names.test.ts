import { expect, test } from "vitest";
import { NameSet } from "./member-names.ts";

test("names that differ in case or form alone are the same", () => {
  const names = new NameSet();
  expect(names.add("Ä/x")).toBeUndefined();
  expect(names.add("a\u0308/X")).toBe("name occurs twice");
  expect(names.add("ä")).toBe("name is a file and a folder");
  expect(names.add("Ä/x/y")).toBe("name is a file and a folder");
});

test("names and all their folders count against what an archive may hold", () => {
  const names = new NameSet(10_000);
  const deep = (nth: number) => `${Array.from({ length: 60 }, (_, at) => `${nth}-${at}`).join("/")}/x`;
  expect(names.add("ordinary")).toBeUndefined();
  expect(names.add(deep(1))).toBe("more names than an archive may hold");
  expect(names.add("another")).toBe("more names than an archive may hold");
});
