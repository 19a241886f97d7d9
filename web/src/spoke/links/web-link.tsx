import type { ReactNode } from "react";
import { safeHref } from "../../shared/format/format.ts";

/** A link to the code host; plain text where the address is no web address. */
export function WebLink({ href, children }: { readonly href: string | undefined; readonly children: ReactNode }) {
  const safe = safeHref(href);
  if (safe === undefined) return <bdi>{children}</bdi>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer">
      <bdi>{children}</bdi>
    </a>
  );
}
