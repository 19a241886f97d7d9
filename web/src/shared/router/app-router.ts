import { type AnyRoute, type AnyRouter, createRouter } from "@tanstack/react-router";
import { LoadFailed, Loading, NotFound } from "../states/states.tsx";
import { parseSearch, stringifySearch } from "./search-text.ts";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** What the page is called, in its heading and in the browser's tab. */
    title?: string;
    /** The parameter of the path that names what the page is about: it is the title then. */
    titleParameter?: string;
    isForAdmins?: boolean;
  }
}

/** The router of an app: one table of routes, the query of the address as plain text, pages fetched when a link is pointed at. */
export function createAppRouter(routeTree: AnyRoute): AnyRouter {
  return createRouter({
    routeTree,
    parseSearch,
    stringifySearch,
    trailingSlash: "never",
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultPendingComponent: Loading,
    defaultErrorComponent: ({ error }) => LoadFailed({ problem: error, again: () => location.reload() }),
    defaultNotFoundComponent: NotFound,
  });
}
