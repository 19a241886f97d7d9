import type { Bead } from "@nest/protocol";
import { expect, test } from "vitest";
import { Book } from "../book/book.ts";
import { exportBeads } from "./export-beads.ts";
import { planImport } from "./plan-import.ts";
import { readBeads } from "./read-beads.ts";

const NOW = "2026-02-01T00:00:00.000Z";
const one = (text: string): Bead | undefined => readBeads(text, NOW).beads[0];

/** An issue as the beads project writes it. */
const issue = {
  id: "bd-2cr",
  title: "Login fails",
  description: "on Mondays",
  status: "closed",
  priority: 0,
  issue_type: "bug",
  assignee: "ada",
  created_at: "2026-01-19T22:12:48.942352085+01:00",
  updated_at: "2026-01-20T10:00:00Z",
  closed_at: "2026-01-20T10:00:00Z",
  external_ref: "gh-9",
  labels: ["auth"],
  dependencies: [
    { issue_id: "bd-2cr", depends_on_id: "bd-2h0", type: "blocks", created_at: NOW, created_by: "ada" },
    { issue_id: "bd-2cr", depends_on_id: "bd-9", type: "discovered-from", created_at: NOW, created_by: "ada" },
  ],
};

test("an issue of the beads project becomes a bead, and what waits for it waits", () => {
  expect(one(JSON.stringify(issue))).toEqual({
    id: "bd-2cr",
    title: "Login fails",
    type: "bug",
    status: "closed",
    priority: 0,
    actor: "ada",
    external_ref: "gh-9",
    metadata: { beads: { description: "on Mondays", labels: ["auth"] } },
    notes: "",
    created_at: "2026-01-19T21:12:48.942Z",
    updated_at: "2026-01-20T10:00:00.000Z",
    closed_at: "2026-01-20T10:00:00.000Z",
    depends_on: ["bd-2h0"],
  });
});

test("an export has an issue's description, labels and dependencies again", () => {
  const bead = one(JSON.stringify(issue));
  const [line = ""] = exportBeads(bead === undefined ? [] : [bead]);
  expect(JSON.parse(line)).toMatchObject({
    id: "bd-2cr",
    description: "on Mondays",
    issue_type: "bug",
    assignee: "ada",
    labels: ["auth"],
    dependencies: [{ issue_id: "bd-2cr", depends_on_id: "bd-2h0", type: "blocks" }],
  });
  expect(one(line)).toEqual(bead);
});

test.each(["decision", "advisory"] as const)(
  "a %s goes out as a task with a label and comes in as what it was",
  (type) => {
    const bead = one(JSON.stringify({ id: "a", title: "x", type, status: "done", metadata: { run: 7 } }));
    const [line = ""] = exportBeads(bead === undefined ? [] : [bead]);
    expect(JSON.parse(line)).toMatchObject({ issue_type: "task", status: "closed", labels: [type], closed_at: NOW });
    expect(one(line)).toEqual(bead);
  },
);

test.each([
  ["an array", '[{"id":"a","title":"x"},{"id":"b","title":"y"}]'],
  ["an object with beads", '{"version":1,"beads":[{"id":"a","title":"x"},{"id":"b","title":"y"}]}'],
  ["one object a line", '{"id":"a","title":"x"}\r\n\n{"id":"b","title":"y"}\n'],
])("%s is read", (_, text) => {
  expect(readBeads(text, NOW).beads.map(({ id, created_at }) => [id, created_at])).toEqual([
    ["a", NOW],
    ["b", NOW],
  ]);
});

test("deleted issues, templates and memories are left out, and what is no bead is named", () => {
  const lines = [
    { id: "gone", title: "x", status: "tombstone" },
    { id: "template", title: "x", is_template: true },
    { _type: "memory", key: "k", value: "v" },
    { id: "../x", title: "x" },
    { id: "good", title: "x" },
  ];
  const { beads, refused } = readBeads(`${lines.map((line) => JSON.stringify(line)).join("\n")}\nnot json`, NOW);
  expect(beads.map(({ id }) => id)).toEqual(["good"]);
  expect(refused).toMatchObject([{ entry: 4, because: expect.stringMatching(/^id: /) }, { entry: 6 }]);
});

test.each([
  ["deferred", "blocked"],
  ["hooked", "in_progress"],
  ["something new", "open"],
])("the status %s comes in as %s", (theirs, ours) => {
  expect(one(JSON.stringify({ id: "a", title: "x", status: theirs }))?.status).toBe(ours);
});

test("texts that the metadata has no room for come into the notes", () => {
  const bead = one(JSON.stringify({ id: "a", title: "x", notes: "short", description: "d".repeat(30_000) }));
  expect([bead?.metadata, bead?.notes.length, bead?.notes.endsWith("short")]).toEqual([{}, 30_007, true]);
});

test("older beads are replaced, newer ones stay", () => {
  const book = new Book();
  const stored = readBeads('[{"id":"a","title":"old","updated_at":"2026-01-01T00:00:00Z"}]', NOW).beads;
  for (const bead of stored) book.restore(bead);
  const again = (updated_at: string) =>
    planImport(book, readBeads(JSON.stringify([{ id: "a", title: "other", updated_at }]), NOW).beads);
  expect(again("2025-12-31T00:00:00Z")).toMatchObject({ puts: [], unchanged: 1 });
  expect(again("2026-01-01T00:00:00Z")).toMatchObject({ puts: [], unchanged: 1 });
  expect(again("2026-01-02T00:00:00Z")).toMatchObject({ puts: [{ title: "other" }], updated: 1, created: 0 });
});

test("of a circle in an import one dependency is dropped, and the rest of them stays", () => {
  const book = new Book();
  const issues = [
    { id: "a", title: "a", depends_on: ["b"] },
    { id: "b", title: "b", depends_on: ["c", "d"] },
    { id: "c", title: "c", depends_on: ["a"] },
    { id: "d", title: "d" },
  ];
  const { puts, dropped } = planImport(book, readBeads(JSON.stringify(issues), NOW).beads);
  for (const bead of puts) book.restore(bead);
  expect(dropped).toHaveLength(1);
  expect(book.circles()).toEqual([]);
  expect(puts.flatMap(({ depends_on }) => depends_on)).toHaveLength(3);
});

test("an import that would close a circle with beads of the ledger drops its own dependency", () => {
  const book = new Book();
  for (const bead of readBeads(
    '[{"id":"a","title":"a","depends_on":["b"]},{"id":"b","title":"b"}]',
    "2026-01-01T00:00:00Z",
  ).beads)
    book.restore(bead);
  const { dropped } = planImport(book, readBeads('[{"id":"b","title":"b","depends_on":["a"]}]', NOW).beads);
  expect(dropped).toEqual([{ id: "b", depends_on: "a" }]);
});

test("a file in which everything waits for everything is read in time", () => {
  const ids = Array.from({ length: 3000 }, (_, at) => `b-${at}`);
  const issues = ids.map((id, at) => ({ id, title: id, depends_on: ids.slice(at % 2900, (at % 2900) + 100) }));
  const { puts, dropped } = planImport(new Book(), readBeads(JSON.stringify(issues), NOW).beads);
  expect(dropped.length).toBeGreaterThan(0);
  const book = new Book();
  for (const bead of puts) book.restore(bead);
  expect(book.circles()).toEqual([]);
});
