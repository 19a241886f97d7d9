/** JSON that PostgreSQL can store: without NUL and without unpaired surrogates. */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value);
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? postgresText(part) : part));
}

/** Matches the JSON escapes of such characters. Testing the text is cheaper than visiting every string. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** Replaces NUL and unpaired surrogates, which PostgreSQL cannot store. */
export function postgresText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "") : whole;
}
