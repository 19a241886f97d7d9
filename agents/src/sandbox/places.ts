import { realpath } from "node:fs/promises";
import { sep } from "node:path";

/** Whether a path as it is written leads somewhere in the sandbox before anything is mounted for it. */
export type IsVisible = (path: string) => boolean;

/**
 * Where a path has to be mounted. Bubblewrap mounts nothing over a link (since 0.12), so where the link can be seen, what it leads
 * to is what is mounted on; where it cannot, its name is free.
 */
export async function placeOf(path: string, isVisible: IsVisible): Promise<string> {
  return isVisible(path) ? realpath(path).catch(() => path) : path;
}

/** The paths that need a mount of their own to be seen, each where it has to be mounted. */
export async function unseenPlaces(paths: readonly string[], isVisible: IsVisible): Promise<readonly string[]> {
  const places = await Promise.all(paths.map((path) => placeOf(path, isVisible)));
  return [...new Set(places.filter((place) => !isVisible(place)))];
}

/** Whether a path is one of the places, or in one. */
export function isUnder(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(place + sep));
}
