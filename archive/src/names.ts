/** `20261121T031700Z`, always UTC, so that names sort by time. */
export function stampOf(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

/** The time in a stamp, in milliseconds since 1970; undefined when it is no stamp. */
function timeOfStamp(stamp: string): number | undefined {
  const match = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(stamp);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * Makes an id safe for names: every character except letters, digits, `_` and `-` becomes `-`; an empty id becomes `nest`.
 */
export function nameSafe(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_-]/g, "-").replaceAll(/^-+|-+$/g, "") || "nest";
}

/** The file name of an archive: `nest-<kind>-backup-<id>-<stamp>.tar.gz.enc`. */
export function archiveName(kind: "hub" | "spoke", id: string, nowMs: number): string {
  return `nest-${kind}-backup-${nameSafe(id)}-${stampOf(nowMs)}.tar.gz.enc`;
}

/** The time in the name of a hub's archive; undefined for any other name, including other hubs' archives. */
export function timeOfHubArchive(name: string, hubId: string): number | undefined {
  const start = `nest-hub-backup-${nameSafe(hubId)}-`;
  const end = ".tar.gz.enc";
  if (!name.startsWith(start) || !name.endsWith(end)) return undefined;
  return timeOfStamp(name.slice(start.length, -end.length));
}

/** Its hub put no id into the name; its spokes did. */
const ANCESTOR = /^hive-(hub-backup|spoke-backup-[A-Za-z0-9_-]{1,200})-(\d{8}T\d{6}Z)\.tar\.gz\.enc$/;

/** The time in the name of an archive of the ancestor, a hub's or a spoke's; undefined for any other name. */
export function timeOfAncestorArchive(
  name: string,
): { readonly kind: "hub" | "spoke"; readonly at: number } | undefined {
  const [, kind, stamp = ""] = ANCESTOR.exec(name) ?? [];
  const at = timeOfStamp(stamp);
  return at === undefined ? undefined : { kind: kind?.startsWith("spoke") === true ? "spoke" : "hub", at };
}
