import { styleNonce } from "./content-policy.ts";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "../theme/base.css";
import "../theme/header.css";
import "../theme/page.css";
import "../theme/lists.css";
import "../theme/cards.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { CallError } from "../call/call.ts";
import { ThemeProvider } from "../theme/theme-provider.tsx";

const MOST_TRIES = 3;

/** What the app has read from its server. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream says when something has changed; nothing gets old by itself.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      // What the server has refused it refuses again; what did not reach it is tried again.
      retry: (tries, problem) => tries < MOST_TRIES && (!(problem instanceof CallError) || isPassing(problem)),
    },
  },
});

function isPassing({ status }: CallError): boolean {
  return status === 0 || status === 429 || status >= 500;
}

/** Shows an app in the page that the server sent. */
export function startApp(app: ReactNode): void {
  const root = document.getElementById("app");
  if (root === null) throw new Error("the page has no place for the app");
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <ThemeProvider styleNonce={styleNonce}>{app}</ThemeProvider>
    </QueryClientProvider>,
  );
}
