import { NestError } from "@nest/kit";

const LINE_FEED = 10;
const MOST_LINE_BYTES = 32 * 1024 * 1024;

/** Whole lines out of pieces as they arrive. What is left at the end was torn off and is dropped: the watch resumes before it. */
export async function* linesOf(pieces: AsyncIterable<Buffer>, what: string): AsyncGenerator<string> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      held.push(piece.subarray(from, at));
      yield Buffer.concat(held).toString("utf8");
      held = [];
      bytes = 0;
      from = at + 1;
    }
    if (from === piece.length) continue;
    held.push(piece.subarray(from));
    bytes += piece.length - from;
    if (bytes > MOST_LINE_BYTES) throw new NestError("cluster_failed", `${what}: a line of the watch is too long`);
  }
}
