/**
 * The contributor protocol's version, `MAJOR.MINOR`.
 *
 * History:
 * - 1.0  the first wire: challenge, response, assign, progress, complete.
 * - 1.1  versions are declared by both sides.
 * - 1.2  capability declaration, `failure_kind`, credential after acceptance by `token_refresh`.
 *
 * Raise MINOR for something additive, MAJOR when the wire contract changes. Nothing is ever gated on it.
 */
export const PROTOCOL_VERSION = "1.2";

/** How a declared version compares with ours. Only printed and shown: access and routing never depend on it. */
export type VersionVerdict = "unknown" | "current" | "older" | "newer" | "incompatible" | "malformed";

const FORM = /^(\d{1,6})\.(\d{1,6})$/;

/** Compares the version a peer declared with `ours`; the verdict describes the peer (`older`: the peer is older). */
export function compareVersions(declared: string | undefined, ours: string = PROTOCOL_VERSION): VersionVerdict {
  if (declared === undefined || declared === "") return "unknown";
  const theirs = FORM.exec(declared);
  const mine = FORM.exec(ours);
  if (theirs === null || mine === null) return "malformed";
  if (Number(theirs[1]) !== Number(mine[1])) return "incompatible";
  const difference = Number(theirs[2]) - Number(mine[2]);
  if (difference === 0) return "current";
  return difference < 0 ? "older" : "newer";
}
