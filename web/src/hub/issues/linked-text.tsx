import { Link } from "@tanstack/react-router";
import { useLive } from "../live/live.ts";
import { IssueLink } from "./issue-link.tsx";
import { type Piece, piecesOf } from "./linked-pieces.ts";

/** Plain text in which the names of issues and tasks lead to their pages, and pull requests to the code host. */
export function LinkedText({ text }: { readonly text: string }) {
  const codeHost = useLive((live) => live.status?.code_host);
  return (
    <bdi>
      {piecesOf(text, codeHost).map((piece, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
        <LinkedPiece key={at} piece={piece} />
      ))}
    </bdi>
  );
}

function LinkedPiece({ piece }: { readonly piece: Piece }) {
  switch (piece.kind) {
    case "words":
      return piece.text;
    case "task":
      return (
        <Link to="/tasks/$id" params={{ id: piece.text } as never}>
          {piece.text}
        </Link>
      );
    case "issue":
      return <IssueLink repo={piece.repo} number={piece.number} />;
    case "pull request":
      return (
        <a href={piece.href} target="_blank" rel="noopener noreferrer">
          {piece.text}
        </a>
      );
  }
}
