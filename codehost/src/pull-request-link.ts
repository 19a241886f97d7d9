import { PUBLIC_WEB_BASE } from "./closing-references.ts";

/** A pull request, as its address names it. */
export interface PullRequestName {
  /** `owner/name`, spelled as in the address. */
  readonly repo: string;
  readonly number: number;
}

/**
 * The pull request behind an address under `webBase`; whatever follows the number is cut. Undefined for any other address: another
 * origin, credentials in it, or a path that is not `/owner/name/pull/N`.
 */
export function pullRequestLink(address: string, webBase = PUBLIC_WEB_BASE): PullRequestName | undefined {
  if (address.length > 2000 || !URL.canParse(address) || !URL.canParse(webBase)) return undefined;
  const url = new URL(address);
  const base = new URL(webBase);
  if (url.origin !== base.origin || url.username !== "" || url.password !== "") return undefined;
  const prefix = base.pathname.replace(/\/+$/, "");
  if (!url.pathname.startsWith(`${prefix}/`)) return undefined;
  const match =
    /^\/([A-Za-z0-9_.-]{1,100})\/([A-Za-z0-9_.-]{1,100})\/pull\/([1-9]\d{0,14})(?:[^0-9A-Za-z_-].*)?$/s.exec(
      url.pathname.slice(prefix.length),
    );
  if (match === null) return undefined;
  return { repo: `${match[1]}/${match[2]}`, number: Number(match[3]) };
}

/** The address of a pull request under `webBase`. */
export function pullRequestUrl(name: PullRequestName, webBase = PUBLIC_WEB_BASE): string {
  return `${webBase.replace(/\/+$/, "")}/${name.repo}/pull/${name.number}`;
}
