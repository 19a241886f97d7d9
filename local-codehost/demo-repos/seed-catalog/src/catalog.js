import { readFileSync } from "node:fs";

const FILE = new URL("../data/seeds.json", import.meta.url);

/** All seeds of the catalogue. */
export function seeds() {
  return JSON.parse(readFileSync(FILE, "utf8"));
}
