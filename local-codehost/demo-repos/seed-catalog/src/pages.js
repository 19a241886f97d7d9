/** How many seeds a page shows unless the reader asks for another number. */
export const DEFAULT_PAGE_SIZE = 5;

export function page(list, number, size) {
  const start = number * size;
  return list.slice(start, start + size);
}

/** How many pages a list of `total` entries fills. */
export function pageCount(total, size) {
  return Math.floor(total / size);
}
