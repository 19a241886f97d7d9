import { styleNonce } from "./content-policy.ts";
import "../theme/mantine.css";
import "../theme/base.css";
import "../theme/connection.css";
import "../theme/page.css";
import "../theme/lists.css";
import "../theme/cards.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { type AnyRouter, RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { queries } from "../call/queries.ts";
import { loadWindows } from "../forms/dialogs.tsx";
import { loadAtFirstTouch } from "../lazy/lazy-part.ts";
import { reconnectOnReturn } from "../stream/event-stream.ts";
import { ThemeProvider } from "../theme/theme-provider.tsx";

/** Starts an app: renders the page for the current address into the HTML that the server sent. */
export function startApp(router: AnyRouter): void {
  const root = document.getElementById("app");
  if (root === null) throw new Error("the page has no place for the app");
  reconnectOnReturn();
  loadAtFirstTouch(loadWindows);
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <ThemeProvider styleNonce={styleNonce}>
        <RouterProvider router={router} />
      </ThemeProvider>
    </QueryClientProvider>,
  );
}
