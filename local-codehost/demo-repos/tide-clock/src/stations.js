import { readFileSync } from "node:fs";

const FILE = new URL("../data/stations.json", import.meta.url);

/** The names of all stations that we know. */
export function stationNames() {
  return JSON.parse(readFileSync(FILE, "utf8")).map((station) => station.name);
}
