import { type AnyRoute, type AnyRouter, createRouter } from "@tanstack/react-router";
import { LoadFailed, Loading, NotFound } from "../states/states.tsx";
import { parseSearch, stringifySearch } from "./search-text.ts";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** What the page is called, in its heading and in the browser's tab. */
    title?: string;
    /** The path parameter whose value is the title of the page. */
    titleParameter?: string;
    isForAdmins?: boolean;
    /** Only for somebody who is signed in. */
    isPersonal?: boolean;
  }
}

/** Creates an app's router. Query values stay plain text; a page's script is fetched when the pointer is over its link. */
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
