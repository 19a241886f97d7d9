/**
 * The part of the configuration that adds a mode. Agents without an interval are not named in it: they go by the default. Pure.
 */
export function modeAddition(name: string, threshold: number, intervals: Readonly<Record<string, string>>) {
  const given = Object.entries(intervals).flatMap(([agent, interval]) =>
    interval.trim() === "" ? [] : [[agent, interval.trim()] as const],
  );
  return { governor: { modes: { [name]: { threshold, ...Object.fromEntries(given) } } } };
}
