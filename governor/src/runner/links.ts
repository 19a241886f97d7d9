import { plainText } from "@nest/kit";

const MOST_LINKS = 10;
const PATH = /\/([A-Za-z0-9_.-]{1,100}\/[A-Za-z0-9_.-]{1,100})\/(pull|issues)\/([1-9]\d{0,9})(?!\d)/g;

/** Pull requests and issues of these repositories that an output names under the code host's web base, each once, the last ones. Pure. */
export function linksIn(output: string, repos: readonly string[], webBase: string): string[] {
  const base = webBase.replace(/\/+$/, "");
  const known = new Map(repos.map((repo) => [repo.toLowerCase(), repo]));
  const found = new Set<string>();
  for (const piece of plainText(output).split(base).slice(1)) {
    PATH.lastIndex = 0;
    const match = PATH.exec(piece.slice(0, 250));
    if (match === null || match.index !== 0) continue;
    const repo = known.get((match[1] ?? "").toLowerCase());
    if (repo !== undefined) found.add(`${base}/${repo}/${match[2]}/${match[3]}`);
  }
  return [...found].slice(-MOST_LINKS);
}
