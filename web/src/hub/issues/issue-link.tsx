import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface IssueLinkProps {
  readonly repo: string;
  readonly number: number;
  /** What stands there instead of the issue's name. */
  readonly children?: ReactNode;
}

/** An issue's name, `owner/name#number`, as a link to its page. */
export function IssueLink({ repo, number, children }: IssueLinkProps) {
  const [owner = "", name = ""] = repo.split("/");
  return (
    <Link to="/issues/$owner/$name/$number" params={{ owner, name, number: String(number) } as never}>
      {children ?? `${repo}#${number}`}
    </Link>
  );
}

/** The same by the issue's key; text that is no key stays text. */
export function IssueNamed({ name }: { readonly name: string }) {
  const [, repo, number] = /^([\w.-]+\/[\w.-]+)#(\d+)$/.exec(name) ?? [];
  if (repo === undefined) return <bdi>{name}</bdi>;
  return <IssueLink repo={repo} number={Number(number)} />;
}
