import { crc32 } from "node:zlib";

/** Longer lines are skipped without being kept in memory. */
export const MOST_LINE_BYTES = 512 * 1024;

const BEFORE_SUM = '{"crc":"';
const AFTER_SUM = '",';
const SUM_AT = BEFORE_SUM.length;
const REST_AT = SUM_AT + 8 + AFTER_SUM.length;

/**
 * One line of a ledger's file: the record as JSON, its first key the CRC-32 of every byte after that key's comma (the line feed is
 * not among them). So the line is plain JSON, and half of it is known as half.
 */
export function toLine(record: object): string {
  const rest = JSON.stringify(record).slice(1);
  return `${BEFORE_SUM}${sumOf(rest)}${AFTER_SUM}${rest}\n`;
}

/** The record of a line without its line feed; undefined when the line is not whole. */
export function fromLine(line: Buffer): unknown {
  if (line.length <= REST_AT || line.length > MOST_LINE_BYTES) return undefined;
  const head = line.toString("latin1", 0, REST_AT);
  if (!head.startsWith(BEFORE_SUM) || !head.endsWith(AFTER_SUM)) return undefined;
  if (head.slice(SUM_AT, SUM_AT + 8) !== sumOf(line.subarray(REST_AT))) return undefined;
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
}

function sumOf(bytes: string | Buffer): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}
