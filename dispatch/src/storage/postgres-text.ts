/** JSON that PostgreSQL takes: it has no place for NUL, nor for half of a character. */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value);
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? storable(part) : part));
}

/** How JSON spells what may be one of them; a look costs nothing beside visiting every string. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** Text without NUL and halves of characters. */
export function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "") : whole;
}
