import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { lastSearch } from "./last-search.ts";

/** The pages above this one, the highest first, as they were left: the lists among them narrowed as before. */
export function Crumbs({ pages }: { readonly pages: readonly (readonly [address: string, name: string])[] }) {
  return (
    <nav className="crumb" aria-label="Breadcrumb">
      {pages.map(([address, name], nth) => (
        <Fragment key={address}>
          {nth === 0 ? "" : " / "}
          <Link to={address} search={lastSearch(address) as never}>
            {name}
          </Link>
        </Fragment>
      ))}
    </nav>
  );
}
