import { QueryClient } from "@tanstack/react-query";
import { CallError } from "./call.ts";

const MOST_TRIES = 3;
/** How long each try of a question may take that a whole page waits for. */
export const ANSWER_MS = 10_000;

/** The cache of everything the app reads from its server. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Data stays fresh until the event stream reports a change.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      // Repeat only what can succeed the next time: no answer, too many requests, a server error.
      retry: (tries, problem) => tries < MOST_TRIES && isWorthAnother(problem),
    },
  },
});

/** For a question that a whole page waits for: asked twice, so that a failure is told soon. */
export const onceMore = { retry: (tries: number, problem: unknown) => tries < 1 && isWorthAnother(problem) };

function isWorthAnother(problem: unknown): boolean {
  return !(problem instanceof CallError) || isPassing(problem);
}

function isPassing({ status }: CallError): boolean {
  return status === 0 || status === 429 || status >= 500;
}
