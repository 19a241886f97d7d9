/** The moment at which a day (`2026-11-23`, in the reader's own zone) begins; undefined for what is no day. */
export function beginningOf(day: string | undefined): string | undefined {
  return momentOf(day, 0);
}

/** The moment at which a day ends. */
export function endOf(day: string | undefined): string | undefined {
  return momentOf(day, 1);
}

/** The same for a day so many days later: a day is not always 24 hours long. */
function momentOf(day: string | undefined, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? "") ?? [];
  if (year === undefined) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString();
}
