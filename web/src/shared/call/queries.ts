import { QueryClient } from "@tanstack/react-query";
import { CallError } from "./call.ts";

const MOST_TRIES = 3;

/** The cache of everything the app reads from its server. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Data stays fresh until the event stream reports a change.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      // Repeat only what can succeed the next time: no answer, too many requests, a server error.
      retry: (tries, problem) => tries < MOST_TRIES && (!(problem instanceof CallError) || isPassing(problem)),
    },
  },
});

function isPassing({ status }: CallError): boolean {
  return status === 0 || status === 429 || status >= 500;
}
