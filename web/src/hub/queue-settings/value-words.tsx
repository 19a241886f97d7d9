/** A default as a person reads it. */
export function ValueWords({ value }: { readonly value: unknown }) {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : <bdi>{value.join(", ")}</bdi>;
  if (typeof value === "object") return "the limits of a new hub";
  if (value === "") return "empty";
  return String(value);
}
