import type { ExecOutcome } from "./exec-outcome.ts";

/** Servers read a WebSocket's frames whole; this is what the official clients send at most. */
const MOST_PIECE_BYTES = 32 * 1024;

/**
 * Passes on what a program shall read, no faster than the connection takes it, then tells the end. When the run is decided
 * first, the rest is left unread. An input that fails ends the run with its error.
 */
export function feed(
  stdin: AsyncIterable<Uint8Array>,
  to: { write(bytes: Uint8Array): Promise<void>; end(): Promise<void> },
  outcome: ExecOutcome,
): void {
  const pass = async () => {
    for await (const piece of stdin)
      for (let at = 0; at < piece.length; at += MOST_PIECE_BYTES) {
        if (outcome.isDecided) return;
        await written(to.write(piece.subarray(at, at + MOST_PIECE_BYTES)));
      }
    if (!outcome.isDecided) await written(to.end());
  };
  pass().catch((thrown) => outcome.fail(thrown));
}

/** A connection that breaks tells so itself, and a program that ended early needs no more input. */
function written(sent: Promise<void>): Promise<void> {
  return sent.catch(() => undefined);
}
