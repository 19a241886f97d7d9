import { QueryClient } from "@tanstack/react-query";
import { CallError } from "./call.ts";

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
