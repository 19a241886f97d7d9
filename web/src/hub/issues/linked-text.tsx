import { Link } from "@tanstack/react-router";
import { IssueNamed } from "./issue-link.tsx";

/** Plain text in which the names of issues and tasks lead to their pages. */
export function LinkedText({ text }: { readonly text: string }) {
  return text.split(/( +)/).map((word, at) =>
    word.startsWith("task-") ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the words of one text never move.
      <Link key={at} to="/tasks/$id" params={{ id: word } as never}>
        {word}
      </Link>
    ) : word.trim() === "" ? (
      word
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the words of one text never move.
      <IssueNamed key={at} name={word} />
    ),
  );
}
