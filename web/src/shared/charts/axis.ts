/** An axis has at least this many ticks besides 0. */
const WANTED = 2;

/** The ticks of an axis from 0 to at least `most`, in steps of 1, 2 or 5 times a power of ten. */
export function axisTicks(most: number): number[] {
  const end = Math.max(1, Math.ceil(most));
  let step = 1;
  for (let unit = 1; ; unit *= 10) {
    const round = [1, 2, 5].map((digit) => digit * unit).filter((candidate) => Math.ceil(end / candidate) >= WANTED);
    if (round.length === 0) break;
    step = round.at(-1) ?? step;
  }
  return Array.from({ length: Math.ceil(end / step) + 1 }, (_, nth) => nth * step);
}
