import { styleNonce } from "../wire/strict.ts";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "../look/base.css";
import "../look/header.css";
import "../look/page.css";
import "../look/lists.css";
import "../look/cards.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { followHub } from "../live/live.ts";
import { readAnewWhenChanged } from "../live/read-anew.ts";
import { Look } from "../look/look.tsx";
import { HubProblem } from "../wire/call.ts";
import { HubApp } from "./hub-app.tsx";

const MOST_TRIES = 3;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream says when something has changed; nothing gets old by itself.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      // What the hub has refused it refuses again; what did not reach it is tried again.
      retry: (tries, problem) => tries < MOST_TRIES && (!(problem instanceof HubProblem) || isPassing(problem)),
    },
  },
});

function isPassing({ status }: HubProblem): boolean {
  return status === 0 || status === 429 || status >= 500;
}

readAnewWhenChanged(client);
followHub();

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no place for the app");
createRoot(root).render(
  <QueryClientProvider client={client}>
    <Look styleNonce={styleNonce}>
      <HubApp />
    </Look>
  </QueryClientProvider>,
);
