/** A part of a text: plain words, the name of an issue or a task, or a pull request at the code host. */
export type Piece =
  | { readonly kind: "words" | "task"; readonly text: string }
  | { readonly kind: "issue"; readonly text: string; readonly repo: string; readonly number: number }
  | { readonly kind: "pull request"; readonly text: string; readonly href: string };

const NAMED =
  /(https?:\/\/[^\s<>"'()]+[^\s<>"'().,;:!?])|\b(task-[0-9a-z]{1,10}-[0-9a-f]+)\b|(?<![\w./-])([\w.-]+\/[\w.-]+)#(\d{1,10})\b/g;

/**
 * A text in parts. Relays and strangers write such texts: an address becomes a link only where it is one of the code host, that
 * `codeHost` is an address of, and is then called by what it leads to. Pure.
 */
export function piecesOf(text: string, codeHost: string | undefined): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const plain = (until: number) => {
    if (until > from) pieces.push({ kind: "words", text: text.slice(from, until) });
  };
  for (const match of text.matchAll(NAMED)) {
    const [whole, address, task, repo, number] = match;
    const piece: Piece | undefined =
      address !== undefined
        ? atCodeHost(address, codeHost)
        : task !== undefined
          ? { kind: "task", text: task }
          : { kind: "issue", text: whole, repo: repo ?? "", number: Number(number) };
    if (piece === undefined) continue;
    plain(match.index);
    pieces.push(piece);
    from = match.index + whole.length;
  }
  plain(text.length);
  return pieces;
}

function atCodeHost(address: string, codeHost: string | undefined): Piece | undefined {
  if (originOf(address) === undefined || originOf(address) !== originOf(codeHost)) return undefined;
  const named = namedBy(address);
  if (named === undefined) return undefined;
  const { repo, kind, number } = named;
  const text = `${repo}#${number}`;
  return kind === "issues" ? { kind: "issue", text, repo, number } : { kind: "pull request", text, href: address };
}

function originOf(address: string | undefined): string | undefined {
  return address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined;
}

function namedBy(address: string) {
  const [, repo, kind, number] = /\/([\w.-]+\/[\w.-]+)\/(pull|issues)\/(\d{1,10})$/.exec(address) ?? [];
  return repo === undefined ? undefined : { repo, kind, number: Number(number) };
}

/** The pull request or issue that an address leads to, as `owner/name#number`; undefined for another address. */
export function nameOfAddress(address: string | undefined): string | undefined {
  const named = namedBy(address ?? "");
  return named === undefined ? undefined : `${named.repo}#${named.number}`;
}
