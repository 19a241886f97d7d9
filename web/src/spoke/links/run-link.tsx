import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** A link to a run's page. */
export function RunLink({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  return (
    <Link to="/runs/$id" params={{ id } as never}>
      {children}
    </Link>
  );
}
