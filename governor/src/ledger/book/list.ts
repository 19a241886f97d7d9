import type { Bead, BeadFilter } from "@nest/protocol";

export interface BeadPage {
  readonly beads: readonly Bead[];
  /** Where the next page begins; absent on the last. */
  readonly next?: string;
}

/** A page of the beads that a filter lets through, newest first. A bead that comes or goes meanwhile moves no other. */
export function listBeads(
  beads: Iterable<Bead>,
  filter: BeadFilter,
  page: { limit: number; cursor?: string },
): BeadPage {
  const after = page.cursor === undefined ? undefined : placeIn(page.cursor);
  const wanted = matcher(filter);
  const best: Place[] = [];
  for (const bead of beads) {
    const place = { ms: Date.parse(bead.created_at) || 0, id: bead.id, bead };
    if (after !== undefined && compare(place, after) <= 0) continue;
    const last = best[page.limit];
    if (last !== undefined && compare(place, last) >= 0) continue;
    if (!wanted(bead)) continue;
    insert(best, place);
    // One more than the page shows that there is a next one.
    if (best.length > page.limit + 1) best.pop();
  }
  const shown = best.slice(0, page.limit);
  const end = shown.at(-1);
  const found = shown.map(({ bead }) => bead);
  return best.length > page.limit && end !== undefined
    ? { beads: found, next: `${end.ms}.${end.id}` }
    : { beads: found };
}

interface Place {
  readonly ms: number;
  readonly id: string;
  readonly bead: Bead;
}

function placeIn(cursor: string): Pick<Place, "ms" | "id"> {
  const dot = cursor.indexOf(".");
  return { ms: Number(cursor.slice(0, dot)), id: cursor.slice(dot + 1) };
}

/** Newest first. */
function compare(one: Pick<Place, "ms" | "id">, other: Pick<Place, "ms" | "id">): number {
  if (one.ms !== other.ms) return other.ms - one.ms;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

function insert(places: Place[], place: Place): void {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = places[middle];
    if (other !== undefined && compare(other, place) < 0) low = middle + 1;
    else high = middle;
  }
  places.splice(low, 0, place);
}

function matcher(filter: BeadFilter): (bead: Bead) => boolean {
  const text = filter.text?.toLowerCase();
  return (bead) =>
    (filter.status?.includes(bead.status) ?? true) &&
    (filter.type?.includes(bead.type) ?? true) &&
    (filter.priority === undefined || filter.priority === bead.priority) &&
    (filter.actor === undefined || filter.actor === bead.actor) &&
    (filter.external_ref === undefined || filter.external_ref === bead.external_ref) &&
    (text === undefined || bead.title.toLowerCase().includes(text) || bead.notes.toLowerCase().includes(text));
}
