export interface StyleSource {
  readonly repo: string;
  readonly path: string;
  readonly ref: string;
}

const OWNER = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?$/;
const REPO = /^[A-Za-z0-9._-]{1,100}$/;
const REF = /^[A-Za-z0-9._][A-Za-z0-9._/-]{0,99}$/;
const PATH = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*\.css$/;

/** Reads `owner/repo/path.css@ref`; undefined for anything else, full addresses and climbing paths among it. */
export function readStyleSource(text: string): StyleSource | undefined {
  const at = text.lastIndexOf("@");
  const place = at === -1 ? text : text.slice(0, at);
  const ref = at === -1 ? "HEAD" : text.slice(at + 1);
  const [owner = "", name = "", ...rest] = place.split("/");
  const path = rest.join("/");
  const climbs = [name, ref, ...rest].some((part) => /^\.{1,2}$/.test(part) || part.includes(".."));
  if (climbs || !OWNER.test(owner) || !REPO.test(name) || !REF.test(ref) || path.length > 200 || !PATH.test(path))
    return undefined;
  return { repo: `${owner}/${name}`, path, ref };
}
