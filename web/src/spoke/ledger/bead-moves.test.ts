import type { nestLedger } from "@nest/protocol";
import { expect, test } from "vitest";
import { type Column, columnAfter } from "./bead-moves.ts";

const aBead = (id: string, changes: Partial<nestLedger.LedgerBead> = {}): nestLedger.LedgerBead => ({
  id,
  agent: "builder",
  title: id,
  type: "task",
  status: "open",
  priority: 2,
  actor: "builder",
  metadata: {},
  notes: "",
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  depends_on: [],
  waits_for: [],
  waited_for_by: [],
  ...changes,
});
const columnOf = (...pages: readonly (readonly string[])[]): Column => ({
  pages: pages.map((ids) => ({ beads: ids.map((id) => aBead(id)), agents: [], unreadable: [] })),
  pageParams: pages.map(() => ""),
});
const idsIn = ({ pages }: Column) => pages.map(({ beads }) => beads.map(({ id }) => id));

test("a bead that changes its status leaves its column and stands on top of the other", () => {
  const moved = aBead("b", { status: "done" });
  expect(idsIn(columnAfter(columnOf(["a", "b"], ["c"]), "open", moved))).toEqual([["a"], ["c"]]);
  expect(idsIn(columnAfter(columnOf(["x"], ["y"]), "done", moved))).toEqual([["b", "x"], ["y"]]);
});

test("a bead that stays in its column is changed in its place", () => {
  const renamed = aBead("c", { title: "new" });
  const column = columnAfter(columnOf(["a"], ["c"]), "open", renamed);
  expect([idsIn(column), column.pages[1]?.beads[0]?.title]).toEqual([[["a"], ["c"]], "new"]);
});

test("beads of two agents with one id are two", () => {
  const other = aBead("a", { agent: "reviewer", status: "done" });
  expect(idsIn(columnAfter(columnOf(["a"]), "open", other))).toEqual([["a"]]);
});
