import { Button, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { CallError } from "../call/call.ts";

/** Placeholder while data is being read. */
export function Loading({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div className="waiting" role="status" aria-label="Waiting for an answer">
      {Array.from({ length: rows }, (_, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never change places
        <Skeleton key={nth} height={18} radius="sm" width={`${92 - ((nth * 17) % 40)}%`} />
      ))}
    </div>
  );
}

/** Placeholder for an empty list, with the reason. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <p className="nothing">{children}</p>;
}

/** The page for an address that has none. */
export function NotFound() {
  return (
    <div className="lead closed">
      <h1>No such page</h1>
      <p>There is nothing at this address. The pages are in the bar above.</p>
    </div>
  );
}

/** Shows an error in the server's words, with a button to try again. */
export function LoadFailed({ problem, again }: { readonly problem: unknown; readonly again?: () => void }) {
  const { message, hint } = wordsOf(problem);
  return (
    <div className="failed" role="alert">
      <p>{message}</p>
      {hint === undefined ? undefined : <p className="soft">{hint}</p>}
      {again === undefined ? undefined : (
        <Button size="xs" variant="default" onClick={again}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** A question that a page waits for. */
export interface Awaited {
  readonly error: unknown;
  readonly refetch: () => unknown;
  readonly isFetching: boolean;
}

/** In place of a page that needs an answer first: waiting for it, or why there was none, with a button to ask again. */
export function LoadingOrFailed({ asked: { error, refetch, isFetching } }: { readonly asked: Awaited }) {
  if (error === null || isFetching) return <Loading />;
  return <LoadFailed problem={error} again={() => void refetch()} />;
}

/** An error as a sentence, and what to do about it. */
export function wordsOf(problem: unknown): { readonly message: string; readonly hint: string | undefined } {
  if (problem instanceof CallError) return { message: sentence(problem.message), hint: problem.hint };
  return { message: "Something went wrong on this page.", hint: "reload it" };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
