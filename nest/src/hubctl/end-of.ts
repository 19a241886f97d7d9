import { UsageError } from "@nest/kit";

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The end of a pause or a hold: `30m`, `2h`, `3d` from now, or a moment. @throws UsageError */
export function endOf(text: string, now: number): string {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const at = count === undefined ? Date.parse(text) : now + Number(count) * (units[unit] ?? 0);
  if (Number.isNaN(at)) throw new UsageError("-until: as 30m, 2h, 3d or 2026-12-24T12:00:00Z");
  return new Date(at).toISOString();
}
