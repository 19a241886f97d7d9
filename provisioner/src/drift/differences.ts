/** A field that is otherwise than wanted. */
export interface Difference {
  /** As `spec.template.spec.containers.nest.image`. */
  readonly field: string;
  readonly wanted: string;
  readonly found: string;
}

/**
 * What an object of a cluster has otherwise than wanted. Fields that nobody asked for are the cluster's own (defaults, status) and no
 * difference. Entries of lists are compared by name where they have one.
 */
export function differences(wanted: unknown, found: unknown, field = ""): readonly Difference[] {
  if (isTree(wanted)) {
    if (!isTree(found)) return Object.keys(wanted).length === 0 ? [] : [difference(field, wanted, found)];
    return Object.entries(wanted).flatMap(([key, value]) => differences(value, found[key], joined(field, key)));
  }
  if (Array.isArray(wanted)) return listDifferences(wanted, found, field);
  return wanted === found ? [] : [difference(field, wanted, found)];
}

function listDifferences(wanted: readonly unknown[], found: unknown, field: string): readonly Difference[] {
  if (!Array.isArray(found)) return wanted.length === 0 ? [] : [difference(field, wanted, found)];
  const named = wanted.every((one) => isTree(one) && typeof one.name === "string");
  if (named && wanted.length > 0) {
    const byName = new Map(found.filter(isTree).map((one) => [one.name, one]));
    const changed = wanted.flatMap((one) => {
      const { name } = one as Readonly<Record<string, unknown>>;
      return differences(one, byName.get(name), joined(field, String(name)));
    });
    const extra = [...byName.keys()].filter((name) => !wanted.some((one) => isTree(one) && one.name === name));
    return [...changed, ...extra.map((name) => difference(joined(field, String(name)), undefined, byName.get(name)))];
  }
  if (wanted.length !== found.length) return [difference(field, wanted, found)];
  return wanted.flatMap((one, at) => differences(one, found[at], joined(field, String(at))));
}

function difference(field: string, wanted: unknown, found: unknown): Difference {
  return { field, wanted: shown(wanted), found: shown(found) };
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return "absent";
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 300);
}

function joined(field: string, key: string): string {
  return field === "" ? key : `${field}.${key}`;
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
