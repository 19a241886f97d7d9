type Fields = Readonly<Record<string, unknown>>;

/** JSON merge patch (RFC 7396): objects are merged, `null` removes, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const merged: Record<string, unknown> = isFields(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

/**
 * What is left of an object after one manager applied `next` where it had applied `before`: its own fields are replaced, those
 * that it no longer names go, fields of others stay. Lists belong to one manager whole.
 */
export function appliedOver(current: unknown, before: unknown, next: unknown): unknown {
  if (!isFields(next)) return next;
  const merged: Record<string, unknown> = isFields(current) ? { ...current } : {};
  const old = isFields(before) ? before : {};
  for (const [key, value] of Object.entries(old)) {
    if (key in next) continue;
    const rest = isFields(value) ? appliedOver(merged[key], value, {}) : undefined;
    if (isFields(rest) && Object.keys(rest).length > 0) merged[key] = rest;
    else delete merged[key];
  }
  for (const [key, value] of Object.entries(next)) merged[key] = appliedOver(merged[key], old[key], value);
  return merged;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
