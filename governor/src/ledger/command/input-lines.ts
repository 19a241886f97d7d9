import type { Readable } from "node:stream";

/** Of one message; a bead has at most a fifth of it. */
const MOST_BYTES = 1024 * 1024;

/** The lines of an input that are not empty; undefined in place of one that is too long, which is not kept in memory. */
export async function* inputLines(input: Readable): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let tooLong = false;
  for await (const chunk of input) {
    let rest = Buffer.from(chunk as Buffer | string);
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]);
      rest = rest.subarray(end + 1);
      if (tooLong || line.length > MOST_BYTES) yield undefined;
      else if (line.toString("utf8").trim() !== "") yield line.toString("utf8");
      [parts, bytes, tooLong] = [[], 0, false];
    }
    bytes += rest.length;
    if (bytes > MOST_BYTES) [parts, tooLong] = [[], true];
    else parts.push(rest);
  }
}
