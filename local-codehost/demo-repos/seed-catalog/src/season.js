/** Whether `month` (1 to 12) lies between two months, both included. */
export function isInSeason(month, from, to) {
  return month > from && month <= to;
}

/** The lowest of some prices. */
export function cheapest(prices) {
  return [...prices].sort()[0];
}
