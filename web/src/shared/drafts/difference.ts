/** Readable names for fields of a value; a field that is missing here keeps its own name. */
export type Names = Readonly<Record<string, string>>;

/** One line of a difference between two values. */
export interface Line {
  /** Where inside the value, as `newcomer, max per hour`; empty for the value itself. */
  readonly at: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Longer texts are cut off at this length. */
const LONGEST = 600;

/**
 * Lists how two values differ: entries removed from and added to a list, fields of an object that changed, otherwise the old and
 * the new value. Undefined stands for a missing value.
 */
export function differenceOf(before: unknown, after: unknown, names: Names = {}, at = ""): Line[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listDifference(before, after, at);
  if (isRecord(before) || isRecord(after)) {
    if (
      (before === undefined || before === null || isRecord(before)) &&
      (after === undefined || after === null || isRecord(after))
    ) {
      const [old, now] = [before ?? {}, after ?? {}] as [Record<string, unknown>, Record<string, unknown>];
      const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])];
      return fields.flatMap((field) =>
        differenceOf(old[field], now[field], names, joined(at, names[field] ?? nameOf(field))),
      );
    }
  }
  return [{ at, before: format(before), after: format(after) }];
}

/** A wire name in readable form. One with dots is a key of the configuration, which people know as it is written. */
function nameOf(field: string): string {
  return field.includes(".") ? field : field.replaceAll("_", " ");
}

function listDifference(before: readonly unknown[], after: readonly unknown[], at: string): Line[] {
  const [old, now] = [before.map((one) => format(one) ?? ""), after.map((one) => format(one) ?? "")];
  const lost = old.filter((one) => !now.includes(one)).map((one) => ({ at, before: one, after: undefined }));
  const gained = now.filter((one) => !old.includes(one)).map((one) => ({ at, before: undefined, after: one }));
  if (lost.length + gained.length > 0) return [...lost, ...gained];
  return [{ at: joined(at, "order"), before: old.join(", "), after: now.join(", ") }];
}

function joined(at: string, more: string): string {
  return at === "" ? more : `${at}, ${more}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value in words, as a difference shows it. */
export function writtenValue(value: unknown): string {
  return format(value) ?? "nothing";
}

function format(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value === "") return "empty";
  const text = Array.isArray(value)
    ? value.map((one) => format(one) ?? "nothing").join(", ")
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
