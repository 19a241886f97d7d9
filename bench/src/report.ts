import { ratioLine, short, table } from "./figures/table.ts";
import type { CycleFigures } from "./modes/cycles.ts";
import type { GrantFigures } from "./modes/grants.ts";
import type { MemoryFigures } from "./modes/memory.ts";
import type { RecoveryFigures } from "./modes/recovery.ts";

/** Throughput rows: a figure of ours or of a library without relays. */
export interface ThroughputRow {
  readonly name: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly note: string;
}

/** A closed-loop or open-loop result as a row. */
export function cycleRow(figures: CycleFigures): ThroughputRow {
  const { p50, p99 } = figures.readyToAssign;
  const note = [
    `${figures.relays} relays`,
    Number.isNaN(figures.cpu) ? "" : `hub cpu ${Math.round(figures.cpu * 100)} %`,
    stolenWords(figures),
    oddWords(figures.odd),
  ];
  return { name: figures.name, perSecond: figures.perSecond, p50, p99, note: note.filter(Boolean).join(", ") };
}

/** Throughput side by side, then the ratio of the first row to each other one. */
export function throughputReport(rows: readonly ThroughputRow[], what: string): string {
  const head = ["", "per s", "p50 ms", "p99 ms", "note"];
  const lines = rows.map((row) => [row.name, short(row.perSecond), short(row.p50), short(row.p99), row.note]);
  const [ours, ...others] = rows;
  if (ours === undefined) return "";
  const ratios = others.map((other) =>
    ratioLine(what, { name: ours.name, value: ours.perSecond }, { name: other.name, value: other.perSecond }),
  );
  return [table(head, lines), ...ratios].join("\n");
}

/** Latency at offered rates. */
export function latencyReport(rows: readonly (CycleFigures & { readonly offered: number })[]): string {
  const head = ["", "relays", "offered/s", "done/s", "p50 ms", "p99 ms", "p99.9 ms", "note"];
  return table(
    head,
    rows.map(({ name, relays, offered, perSecond, readyToAssign, stolen, odd }) => [
      name,
      String(relays),
      short(offered),
      short(perSecond),
      short(readyToAssign.p50),
      short(readyToAssign.p99),
      short(readyToAssign.p999),
      [stolenWords({ stolen }), oddWords(odd)].filter(Boolean).join(", "),
    ]),
  );
}

/** One decision over a long queue, in microseconds; then the ratio of the tails. */
export function grantReport(rows: readonly GrantFigures[]): string {
  const us = (milliseconds: number) => short(milliseconds * 1000);
  const head = ["", "issues", "repositories", "grants", "p50 µs", "p99 µs", "p99.9 µs"];
  const lines = rows.map(({ name, issues, repositories, decision }) => [
    name,
    short(issues),
    String(repositories),
    String(decision.count),
    us(decision.p50),
    us(decision.p99),
    us(decision.p999),
  ]);
  const [ours, walk] = rows;
  if (ours === undefined || walk === undefined) return table(head, lines);
  const ratio = ratioLine(
    "p99 of a grant",
    { name: walk.name, value: walk.decision.p99 },
    { name: ours.name, value: ours.decision.p99 },
  );
  return `${table(head, lines)}\n${ratio}`;
}

/** Memory of idle relays. */
export function memoryReport(rows: readonly MemoryFigures[]): string {
  const lines = rows.map((row) => [row.name, String(row.relays), short(row.perRelayKib), short(row.wholeMib)]);
  const [ours, theirs] = rows;
  const head = table(["", "relays", "KiB a relay", "whole MiB"], lines);
  if (ours === undefined || theirs === undefined) return head;
  const ratio = ratioLine(
    "memory a relay",
    { name: ours.name, value: ours.perRelayKib },
    { name: theirs.name, value: theirs.perRelayKib },
  );
  return `${head}\n${ratio}`;
}

/** Recovery after a kill; seconds count from it. */
export function recoveryReport(rows: readonly RecoveryFigures[]): string {
  const head = [
    "",
    "relays",
    "holding",
    "listening s",
    "all back s",
    "all resumed s",
    "lost",
    "doubled",
    "completed",
    "note",
  ];
  const lines = rows.map((row) => [
    row.name,
    String(row.relays),
    String(row.holding),
    short(row.listening),
    short(row.lastAuthenticated),
    short(row.lastResumed),
    String(row.lost),
    String(row.doubled),
    String(row.completed),
    oddWords(row.odd),
  ]);
  const [ours, theirs] = rows;
  if (ours === undefined || theirs === undefined) return table(head, lines);
  const ratio = ratioLine(
    "recovery time",
    { name: ours.name, value: ours.lastResumed },
    { name: theirs.name, value: theirs.lastResumed },
  );
  return `${table(head, lines)}\n${ratio}`;
}

/** What the host took of the processors: tails of a run in which that was much say little about the hub. */
function stolenWords({ stolen }: { readonly stolen: number }): string {
  return stolen >= 0.01 ? `host took ${Math.round(stolen * 100)} %` : "";
}

function oddWords(odd: Readonly<Record<string, number>>): string {
  return Object.entries(odd)
    .map(([what, count]) => `${count} × ${what}`)
    .join(", ");
}
